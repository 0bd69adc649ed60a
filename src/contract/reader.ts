/** More than anyone reads; what is sent must not grow many times over in the answer. */
const MAX_MISTAKES = 100
/** A longer name is not repeated: escaped, it is six times as long. */
const MAX_NAME = 200

/** Reads a JSON value that may be anything, and gathers all that is wrong with it: each mistake with its pointer. */
export class Reader {
  readonly mistakes: { readonly pointer: string; readonly detail: string }[] = []

  /** `at`: a JSON pointer (RFC 6901), as it stands in a fragment. */
  wrong(at: string, detail: string): void {
    if (this.mistakes.length < MAX_MISTAKES) this.mistakes.push({ pointer: `#${at}`, detail })
  }

  /** Undefined where it is no object: what it should hold is then not wrong as well. */
  fields(
    value: unknown,
    at: string,
    known: readonly string[],
    notBuilt: readonly string[],
  ): Record<string, unknown> | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.wrong(at, `must be an object with ${known.join(', ')}`)
      return undefined
    }
    this.#refuseOthers(Object.keys(value), at, known, notBuilt)
    return value as Record<string, unknown>
  }

  #refuseOthers(names: string[], at: string, known: readonly string[], notBuilt: readonly string[]): void {
    const unknown = `is not known; known are ${known.join(', ')}`
    let isLongOneTold = false
    for (const name of names) {
      if (this.mistakes.length >= MAX_MISTAKES) return
      if (known.includes(name)) continue
      if (name.length <= MAX_NAME) {
        this.wrong(`${at}/${escapeName(name)}`, notBuilt.includes(name) ? 'is not supported yet' : unknown)
      } else if (!isLongOneTold) {
        isLongOneTold = true
        this.wrong(at, `has a field with a name of more than ${MAX_NAME} characters, which ${unknown}`)
      }
    }
  }

  integer(value: unknown, at: string, max: number): number {
    if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return value as number
    this.wrong(at, `must be a whole number from 1 to ${max}`)
    return 0
  }

  boolean(value: unknown, at: string): boolean {
    if (typeof value === 'boolean') return value
    this.wrong(at, 'must be true or false')
    return false
  }

  text(value: unknown, at: string, max: number): string {
    if (typeof value === 'string' && value !== '' && value.length <= max && isPlain(value)) return value
    this.wrong(at, `must be a text of 1 to ${max} characters`)
    return ''
  }

  list(value: unknown, at: string, { min, max, of }: { min: number; max: number; of: string }): unknown[] {
    if (Array.isArray(value) && value.length >= min && value.length <= max) return value
    this.wrong(at, `must be a list of ${min === 0 ? `at most ${max}` : `${min} to ${max}`} ${of}`)
    return []
  }
}

function escapeName(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** What every database can hold. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

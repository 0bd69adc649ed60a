import { isPlain } from './plain-text.ts'
import { rule, type Schema } from './schema.ts'
import { mustBe } from './sentences.ts'

/** More mistakes are not reported: a small body must not cause a huge answer. */
const MAX_MISTAKES = 100
/** A longer name is not repeated: escaped, it is six times as long. */
const MAX_NAME = 200
const NOT_PLAIN = 'must not contain a NUL character or half of a surrogate pair'

export interface Mistake {
  /** A JSON pointer (RFC 6901), as a URI fragment. */
  readonly pointer: string
  readonly detail: string
}

export interface CheckOptions {
  /** Names that other services know, and that are not supported here. */
  readonly unsupported?: readonly string[]
  /** `any`: also texts that no database can hold. */
  readonly texts?: 'plain' | 'any'
}

export type Checked<T> =
  | { readonly value: T; readonly mistakes?: undefined }
  | { readonly value?: undefined; readonly mistakes: readonly Mistake[] }

/**
 * Compares a JSON value with a schema. Returns the value, or its mistakes: unknown fields of an object first, then its
 * fields in the order of the schema. The number of mistakes is limited. The time is linear in the size of the value.
 */
export function check<T>(schema: Schema<T>, value: unknown, options: CheckOptions = {}): Checked<T> {
  const found = new Check(options)
  found.look(schema, value, '')
  return found.mistakes.length > 0 ? { mistakes: found.mistakes } : { value: value as T }
}

class Check {
  readonly mistakes: Mistake[] = []
  readonly #unsupported: readonly string[]
  readonly #texts: 'plain' | 'any'

  constructor({ unsupported = [], texts = 'plain' }: CheckOptions) {
    this.#unsupported = unsupported
    this.#texts = texts
  }

  look(schema: Schema, value: unknown, at: string): void {
    if (this.mistakes.length >= MAX_MISTAKES) return
    if (value === null && schema.type?.includes('null')) return
    if (!this.#fits(schema, value)) {
      this.#add(at, mustBe(schema))
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        this.look(schema['items'] as Schema, item, `${at}/${index}`)
    } else if (typeof value === 'object') {
      this.#lookAtFields(schema, value as Record<string, unknown>, at)
    } else if (typeof value === 'string') {
      const isStorable = this.#texts === 'any' || isPlain(value)
      const problem = isStorable ? schema[rule]?.(value) : NOT_PLAIN
      if (problem !== undefined) this.#add(at, problem)
    }
  }

  /** Whether it has the right form. Its content is checked later. */
  #fits(schema: Schema, value: unknown): boolean {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Record<string, number>
    const { enum: values, const: only } = schema
    switch ([schema.type].flat()[0]) {
      case 'object':
        return typeof value === 'object' && value !== null && !Array.isArray(value)
      case 'array':
        return Array.isArray(value) && isWithin(value.length, minItems, maxItems)
      case 'integer':
        return Number.isInteger(value) && isWithin(value as number, minimum, maximum)
      case 'boolean':
        return typeof value === 'boolean'
      case 'string':
        if (typeof value !== 'string') return false
        if (only !== undefined) return value === only
        if (Array.isArray(values)) return values.includes(value)
        return isWithin(lengthOf(value, maxLength), minLength, maxLength)
      default:
        throw new Error(`check does not support the type ${JSON.stringify(schema.type)}`)
    }
  }

  #lookAtFields(schema: Schema, value: Record<string, unknown>, at: string): void {
    const properties = schema['properties'] as Record<string, Schema>
    const required = schema['required'] as string[]
    if (schema['additionalProperties'] === false) this.#refuseOthers(Object.keys(value), at, properties)
    for (const [name, property] of Object.entries(properties)) {
      const field = Object.hasOwn(value, name) ? value[name] : undefined
      if (field !== undefined || required.includes(name))
        this.look(property, field, `${at}/${escapeName(name)}`)
    }
  }

  #refuseOthers(names: string[], at: string, properties: object): void {
    const known = `is not known; known are ${Object.keys(properties).join(', ')}`
    let isLongOneTold = false
    for (const name of names) {
      if (this.mistakes.length >= MAX_MISTAKES) return
      if (Object.hasOwn(properties, name)) continue
      if (name.length <= MAX_NAME) {
        const detail = this.#unsupported.includes(name) ? 'is not supported yet' : known
        this.#add(`${at}/${escapeName(name)}`, detail)
      } else if (!isLongOneTold) {
        isLongOneTold = true
        this.#add(at, `has a field with a name of more than ${MAX_NAME} characters, which ${known}`)
      }
    }
  }

  #add(at: string, detail: string): void {
    this.mistakes.push({ pointer: `#${at}`, detail })
  }
}

function isWithin(size: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return size >= least && size <= most
}

/** In characters, as JSON Schema counts them. A text that is far too long is counted in UTF-16 units, which is faster. */
function lengthOf(text: string, most = Number.POSITIVE_INFINITY): number {
  return text.length <= most || text.length > 2 * most ? text.length : [...text].length
}

function escapeName(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}

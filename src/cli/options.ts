import { InvalidArgumentError } from 'commander'
import { parseId } from '../contract/ids.ts'

const TIME_PATTERN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/

export function idOption(text: string): string {
  const id = parseId(text)
  if (id === undefined)
    throw new InvalidArgumentError('It must be a UUID, such as 11111111-1111-4111-8111-111111111111.')
  return id
}

/** For options with the same values as a setting. The message of its parser becomes a sentence. */
export function valueOption<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`)
    }
  }
}

/** For options that take a time. Without a time zone it is that of this machine. Throws an Error that completes "It …". */
export function parseTime(text: string): number {
  const [, day, clock = '00:00', offset = ''] = TIME_PATTERN.exec(text.trim()) ?? []
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${offset}`)
  if (!Number.isNaN(time)) return time
  throw new Error('must be a time, such as "2027-01-31 02:00", 2027-01-31T02:00Z or 2027-01-31T02:00+01:00')
}

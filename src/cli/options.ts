import { InvalidArgumentError } from 'commander'
import { parseId } from '../contract/ids.ts'

/** For options that take an id. */
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

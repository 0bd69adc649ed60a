import { integer } from './values.ts'

/** What clients share: how much there is of it for all of them. A part of the one table. */
export const shareSettings = {
  MAX_BODIES_BYTES: {
    type: 'number',
    default: '67108864',
    example: '268435456',
    help: 'Memory for request bodies, all at once; a client has a quarter of it. Further ones wait in line, and are answered 429 where too many of a client do.',
    parse: integer(1_000, 16_000_000_000),
  },
}

import { sql } from 'kysely'

/**
 * The size of a kept request. Both engines store the size of a text beside it, and `octet_length` reads nothing else; `length` counts
 * characters, and so reads all of a text that may be a megabyte. A schedule that runs a template has no request.
 */
export const BYTES = sql<number>`coalesce(octet_length(request), 0)`.as('bytes')

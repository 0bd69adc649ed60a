const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)\s?(Z|[+-]\d\d:?\d\d)?)?$/

/** For options that take a time. Without a time zone it is that of this machine. Throws an Error that completes "It …". */
export function parseTime(text: string): number {
  const [, day, clock = '00:00', offset = ''] = TIME.exec(text.trim()) ?? []
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${offset}`)
  if (!Number.isNaN(time)) return time
  throw new Error('must be a time, such as "2027-01-31 02:00", 2027-01-31T02:00Z or 2027-01-31T02:00+01:00')
}

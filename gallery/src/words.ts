const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
const SHORT_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'medium' })
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' })
const SHORT_MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DISTANCE = new Intl.RelativeTimeFormat('en')
const NUMBER = new Intl.NumberFormat(undefined)
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The name of a project without a name. */
export const UNTITLED = 'Untitled'

export const day = (time: number): string => DAY.format(time)
export const shortDay = (time: number): string => SHORT_DAY.format(time)
export const timeOfDay = (time: number): string => TIME.format(time)
/** The name of a root. Roots of one day have different names. */
export const moment = (time: number): string => MOMENT.format(time)
/** A time that is looked up, not listened to: `1 Mar 2026, 06:00`. */
export const shortMoment = (time: number): string => SHORT_MOMENT.format(time)
export const month = (time: number): string => MONTH.format(time)
export const number = (value: number): string => NUMBER.format(value)

const UNITS = [
  ['year', 31_556_952_000],
  ['month', 2_629_746_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** `in 3 hours`, `2 days ago`, `just now`: how far a time is from now. */
export function distance(time: number, now: number = Date.now()): string {
  const far = time - now
  const [unit, size] = UNITS.find(([, each]) => Math.abs(far) >= each) ?? ['second', 1_000]
  if (unit === 'second') return far > 0 ? 'in under a minute' : 'just now'
  return DISTANCE.format(Math.round(far / size), unit)
}

/** `3 hours`, `1 minute`: how long something took or takes. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['second', 1_000]
  return count(Math.round(ms / size), unit)
}

/** `1 picture`, `2 pictures`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`
}

/** `2 pictures, 1 failed`. */
export function pictures({ done, failed }: { done: number; failed: number }): string {
  return failed === 0 ? count(done, 'picture') : `${count(done, 'picture')}, ${number(failed)} failed`
}

/** A small share is never shown as 0 %, and a large one never as 100 %. */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return `under ${PERCENT.format(0.001)}`
  if (share < 1 && share > 0.999) return `over ${PERCENT.format(0.999)}`
  return PERCENT.format(share)
}

export function megabytes(bytes: number): string {
  return `${number(Math.round(bytes / 100_000) / 10)} MB`
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
const SHORT_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'medium' })
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' })
const NUMBER = new Intl.NumberFormat(undefined)
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The name of a project without a name. */
export const UNTITLED = 'Untitled'

export const day = (time: number): string => DAY.format(time)
export const shortDay = (time: number): string => SHORT_DAY.format(time)
export const timeOfDay = (time: number): string => TIME.format(time)
/** The name of a capture. Captures of one day have different names. */
export const moment = (time: number): string => MOMENT.format(time)
export const month = (time: number): string => MONTH.format(time)
export const number = (value: number): string => NUMBER.format(value)

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

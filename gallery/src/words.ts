import type { View } from '../../src/contract/capture-options.ts'

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
const SHORT_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' })
const NUMBER = new Intl.NumberFormat(undefined)
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The name of a project without a name. */
export const UNTITLED = 'Untitled'

export const day = (time: number): string => DAY.format(time)
export const shortDay = (time: number): string => SHORT_DAY.format(time)
export const timeOfDay = (time: number): string => TIME.format(time)
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

/** How a page was captured: `Window 1280 × 800`, `Full page, 1280 wide`, and its other options. */
export function viewName({ width, height, fullPage, ...others }: View): string {
  const size = fullPage ? `Full page, ${width} wide` : `Window ${width} × ${height}`
  return [size, ...Object.entries(others).map(optionName)].join(', ')
}

/** `{ reducedMotion: true }` is `reduced motion`, `{ delay: 500 }` is `delay 500`. */
function optionName([name, value]: [string, unknown]): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return value === true ? words : `${words} ${typeof value === 'string' ? value : JSON.stringify(value)}`
}

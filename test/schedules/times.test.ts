import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { mistakesOfTimes } from '../../src/schedules/check-times.ts'
import { expressionOf, nextAfterOf, nextTimes } from '../../src/schedules/occurrences.ts'

const MINUTE = 60_000
/** 2026-01-01. */
const NOW = Date.UTC(2026, 0, 1)
const NO_TIMES = { cron: undefined, timezone: undefined, every: undefined }
const CHECK = { now: NOW, minIntervalMs: MINUTE }

/** Days that the library may look at before it finds a time or gives up after 400 years. */
const MOST_DAYS = 70_000

/** Counts the days that the library looks at. Time cannot be measured on a busy machine. */
function countDays(): () => number {
  const expression = expressionOf('* * * * *').cron as unknown as { _shift(date: Date): object }
  const ofDate = Object.getPrototypeOf(expression._shift(new Date(NOW))) as { _matchDayValue: () => unknown }
  const look = vi.spyOn(ofDate, '_matchDayValue')
  onTestFinished(() => look.mockRestore())
  return () => {
    const count = look.mock.calls.length
    look.mockClear()
    return count
  }
}

const number = fc.oneof(
  fc.nat(70),
  fc.constantFrom('00', '7', '-1', '1e3', '0x1', 'L', 'LW', '31W', '5#5', '1#2'),
)
const name = fc.constantFrom('JAN', 'feb', 'MON', 'sun', 'fri', 'mon-fri', 'x')
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('*', '0', '*/5', '30', '1-5', '2') },
  number.map(String),
  name,
  fc.tuple(number, number).map(([from, to]) => `${from}-${to}`),
  fc.tuple(number, number).map(([from, step]) => `${from}/${step}`),
  fc.array(number, { minLength: 2, maxLength: 20 }).map((list) => list.join()),
)
const field = fc
  .tuple(fc.constantFrom('', '', '', '+', '?', ' ', '\u00a0'), part)
  .map((parts) => parts.join(''))
/** Texts like expressions, and any others. */
const crons = fc.oneof(
  { weight: 4, arbitrary: fc.array(field, { minLength: 5, maxLength: 5 }).map((fields) => fields.join(' ')) },
  fc.array(field, { maxLength: 8 }).map((fields) => fields.join(' ')),
  fc.constantFrom('@hourly', '@reboot', '@yearly', '@', '@@', '2026-01-01T00:00:00', '\n', '0\t0\n*  * *'),
  fc.string({ maxLength: 200, unit: 'binary' }),
)
const ZONES = Intl.supportedValuesOf('timeZone')
const zones = fc.oneof(
  fc.constantFrom(...ZONES),
  fc.constantFrom(...ZONES).map((zone) => zone.toUpperCase()),
  fc.constantFrom(
    'UTC',
    'EST5EDT',
    'Etc/GMT+5',
    'GMT',
    '+01:00',
    'Europe',
    'Europe/',
    '../etc',
    'Europe/Berlin\0',
  ),
  fc.string({ maxLength: 64, unit: 'binary' }),
)

test('property: any cron and time zone is refused with a reason, or gives increasing times', () => {
  const days = countDays()
  fc.assert(
    fc.property(crons, fc.option(zones, { nil: undefined }), (cron, timezone) => {
      days()
      const mistakes = mistakesOfTimes({ cron, ...(timezone !== undefined && { timezone }) }, CHECK)
      expect(days()).toBeLessThan(MOST_DAYS)
      for (const { pointer, detail } of mistakes) {
        expect(['#/cron', '#/timezone']).toContain(pointer)
        expect(detail).toMatch(/^must /)
      }
      if (mistakes.length > 0) return
      const times = nextTimes(nextAfterOf({ ...NO_TIMES, cron, timezone }, NOW), NOW, 5)
      expect(days()).toBeLessThan(5 * MOST_DAYS)
      expect(times.length).toBeGreaterThan(0)
      for (const [index, time] of times.entries()) {
        expect(time).toBeGreaterThan(times[index - 1] ?? NOW)
        expect(time % MINUTE).toBe(0)
      }
    }),
    { numRuns: 300 },
  )
})

/** The minutes of an hour or two, from a time in UTC. */
const from = (start: number, ...minutes: number[]) => minutes.map((minute) => start + minute * MINUTE)
const FALL = Date.UTC(2026, 10, 1, 5)
const AUTUMN = Date.UTC(2026, 9, 25)

test.each<[string, string, readonly number[]]>([
  ['30 1 * * *', 'America/New_York', from(FALL, 30)],
  ['*/30 1 * * *', 'America/New_York', from(FALL, 0, 30)],
  ['0,15 1 1 11 *', 'America/New_York', from(FALL, 0, 15)],
  ['50-59/5 0-1 * * *', 'America/New_York', from(FALL, -10, -5, 50, 55)],
  ['30 * * * *', 'America/New_York', from(FALL, -30, 30, 90, 150)],
  ['@hourly', 'America/New_York', from(FALL, 0, 60, 120, 180)],
  ['*/20 2 * * *', 'Europe/Berlin', from(AUTUMN, 0, 20, 40)],
  ['0 */2 * * *', 'Europe/Berlin', from(AUTUMN, 0, 180)],
  ['*/10 1 * * *', 'Australia/Lord_Howe', from(Date.UTC(2026, 3, 4, 14), 0, 10, 20, 30, 40, 50)],
])('%s in %s when clocks go back: no time twice, unless the hour is *', (cron, timezone, expected) => {
  const nextAfter = nextAfterOf({ ...NO_TIMES, cron, timezone }, NOW)
  const first = expected[0] ?? NOW
  const times = nextTimes(nextAfter, first - 1, 12)
  expect(times.filter((time) => time < first + 210 * MINUTE)).toEqual(expected)
})

test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 30W,31W 2 *', '* * 31,30 feb *'])(
  '%s is refused without a long search: there is no such day',
  (cron) => {
    const days = countDays()
    expect(mistakesOfTimes({ cron }, CHECK)).toEqual([
      { pointer: '#/cron', detail: 'must have a time in the future: there is no such day' },
    ])
    expect(days()).toBeLessThan(MOST_DAYS)
  },
)

test.each(['0 0 8-31 * +0#1,1#1,2#1', '0 0 29 2 +1'])('%s is refused before any search', (cron) => {
  const days = countDays()
  expect(mistakesOfTimes({ cron }, CHECK)).toMatchObject([{ detail: expect.stringContaining('+') }])
  expect(days()).toBe(0)
})

test('rare days are found: the 29th of February, the fifth Monday of a February', () => {
  expect(nextTimes(nextAfterOf({ ...NO_TIMES, cron: '0 0 29 2 *' }, NOW), NOW, 2)).toEqual([
    Date.UTC(2028, 1, 29),
    Date.UTC(2032, 1, 29),
  ])
  expect(mistakesOfTimes({ cron: '0 0 * 2 1#5' }, CHECK)).toEqual([])
})

test('the shortest interval within an hour counts, wherever it is', () => {
  const at = (cron: string) =>
    mistakesOfTimes({ cron }, { now: NOW + 26 * MINUTE, minIntervalMs: 5 * MINUTE })
  expect(at('0,5,10,15,20,25,26 * * * *')).toMatchObject([{ pointer: '#/cron' }])
  expect(at('*/5 * * * *')).toEqual([])
  expect(at('58 1 * * *')).toEqual([])
})

const UNITS = [
  ['s', 1_000],
  ['m', MINUTE],
  ['h', 60 * MINUTE],
  ['d', 24 * 60 * MINUTE],
] as const

test('property: `every` is counted from the creation of the schedule', () => {
  const counts = fc.integer({ min: 1, max: 999_999 })
  const afters = fc.integer({ min: 0, max: 4e12 })
  fc.assert(
    fc.property(counts, fc.constantFrom(...UNITS), afters, (count, [unit, unitMs], after) => {
      const times = nextTimes(nextAfterOf({ ...NO_TIMES, every: `${count}${unit}` }, NOW), after, 3)
      const everyMs = (times[1] ?? 0) - (times[0] ?? 0)
      expect(everyMs).toBe(count * unitMs)
      expect(times[2]).toBe((times[1] ?? 0) + everyMs)
      expect(times[0]).toBeGreaterThan(Math.max(after, NOW))
      expect(((times[0] ?? 0) - NOW) % everyMs).toBe(0)
      if (after > NOW) expect(times[0]).toBeLessThanOrEqual(after + everyMs)
    }),
  )
})

test('a time zone in another spelling is the same, and takes no extra memory', () => {
  const zone = (timezone: string) => expressionOf('30 2 * * *', timezone).cron.options.timezone
  expect(['europe/BERLIN', 'EUROPE/berlin', 'Europe/Berlin'].map(zone)).toEqual([
    ...['Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin'],
  ])
})

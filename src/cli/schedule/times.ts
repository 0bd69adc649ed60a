import type { Times } from '../../store/schedules.ts'

/** `Tue 2026-11-17 02:00` in this time zone. */
export function timeIn(zone: string, time: number): string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone: zone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  })
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const seconds = part('second') === '00' ? '' : `:${part('second')}`
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}${seconds}`
}

/** The time zone in which the times of a schedule are printed. */
export function zoneOf({ timezone = 'UTC' }: Pick<Times, 'timezone'>): string {
  return timezone
}

/** As people wrote it: `0 2 * * * Europe/Berlin`, or `every 6h`. */
export function tellTimes({ cron, timezone, every }: Times): string {
  return cron === undefined ? `every ${every}` : `${cron} ${zoneOf({ timezone })}`
}

/** The next times, one a line. */
export function tellNext(next: readonly number[], zone: string): string {
  if (next.length === 0) return 'It has no next time.\n'
  const lines = next.map((time) => `  ${timeIn(zone, time)}\n`)
  return `Its next times, in the time zone ${zone}:\n${lines.join('')}`
}

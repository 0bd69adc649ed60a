const HOUR = 3_600_000

/** The year that is run. */
export const YEAR = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) }
/** Of daylight saving time in Berlin, in that year. */
export const [BEGINS, ENDS] = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)]

interface Span {
  readonly from: number
  readonly to: number
}

/** Every hour. Written without the code that is tested. */
export function hourlyTimes({ from, to }: Span): number[] {
  return Array.from({ length: (to - from) / HOUR }, (_, hour) => from + hour * HOUR)
}

/** 02:30 in Berlin. On the day that has no 02:30, right after the change; on the day that has two, the first. */
export function nightlyTimes({ from, to }: Span): number[] {
  const days = Array.from({ length: (to - from) / (24 * HOUR) }, (_, day) => from + day * 24 * HOUR)
  return days.map((day) => {
    const winter = day + 1.5 * HOUR
    const summer = day + 0.5 * HOUR
    if (day === Date.UTC(2026, 2, 29)) return BEGINS
    return winter >= BEGINS && summer < ENDS ? summer : winter
  })
}

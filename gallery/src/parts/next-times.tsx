import { shortDay, shortMoment, timeOfDay } from '../words.ts'

/** The next times of a schedule, in local time. In the time zone of the schedule as well, if that is another one. */
export function NextTimes({ times, timezone }: { times: readonly number[]; timezone?: string | undefined }) {
  if (times.length === 0) return null
  const there = createClock(timezone)
  return (
    <ol class="times" aria-label="Next times">
      {times.map((time) => {
        const elsewhere = there?.(time)
        return (
          <li key={time}>
            <time dateTime={new Date(time).toISOString()}>{shortMoment(time)}</time>
            {elsewhere !== undefined && elsewhere !== timeOfDay(time) && (
              <span class="soft"> ({elsewhere} there)</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

/** Undefined if the browser does not know the time zone. The day is left out if it is the same here. */
function createClock(timeZone: string | undefined): ((time: number) => string) | undefined {
  if (timeZone === undefined) return undefined
  try {
    const [day, clock] = [
      new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone }),
      new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone }),
    ]
    return (time) => {
      const there = day.format(time)
      return there === shortDay(time) ? clock.format(time) : `${there}, ${clock.format(time)}`
    }
  } catch {
    return undefined
  }
}

import type { Schedules } from '../store/schedules.ts'
import { otherWork } from '../work/other-work.ts'
import { firstNext } from './next-occurrence.ts'

const AT_ONCE = 50

/**
 * After a clock was ahead, the next time of schedules that have run meanwhile is too late. They are moved back to their first
 * time after now. Times that have a root make no second one. Returns how many were moved.
 */
export async function rewindSchedules(
  schedules: Pick<Schedules, 'findAhead' | 'moveBack'>,
  now: number,
  spreadMs: number,
): Promise<number> {
  let moved = 0
  for (let after: string | undefined; ; ) {
    const ahead = await schedules.findAhead(now, { after, limit: AT_ONCE })
    for (const schedule of ahead) {
      const first = firstNext(schedule, now, spreadMs)
      if (first && first.next < schedule.next.next && (await schedules.moveBack(schedule, first))) moved++
      await otherWork()
    }
    if (ahead.length < AT_ONCE) return moved
    after = ahead.at(-1)?.scheduleId
  }
}

import { expect } from 'vitest'
import type { Schedule } from '../../../src/contract/schedules.ts'
import { type Accepting, newRequest, startAccepting } from './requests.ts'

export interface Scheduling extends Accepting {
  /** Sends a request to `…/schedules`, or a path below it. */
  ask(method: string, after?: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Creates a schedule, and returns it. */
  make(more?: object): Promise<Schedule>
  read(schedule: Schedule): Promise<{ schedule: Schedule; etag: string }>
  /** Moves the clock, and lets the timer do everything that is due. */
  passTo(time: number): Promise<void>
}

export function newSchedule(more: object = {}) {
  return { name: 'Hourly', every: '1h', request: newRequest(), ...more }
}

/** A service that captures nothing, for requests about schedules. They begin at their times, without spread. */
export async function startScheduling(env: Record<string, string> = {}): Promise<Scheduling> {
  const service = await startAccepting({ SCHEDULE_SPREAD: '0s', ...env })
  const { store } = service
  const ask: Scheduling['ask'] = (method, after = '', body = undefined, headers = {}) =>
    fetch(`${service.url}/api/projects/${service.projectId}/schedules${after}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const make = async (more: object = {}) => {
    const response = await ask('POST', '', newSchedule(more))
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Schedule
  }
  return Object.assign(service, {
    ask,
    make,
    async read({ scheduleId }: Schedule) {
      const response = await ask('GET', `/${scheduleId}`)
      return { schedule: (await response.json()) as Schedule, etag: response.headers.get('etag') ?? '' }
    },
    async passTo(time: number) {
      service.now = time
      const isDone = async () => ((await store.schedules.findNextDue()) ?? Number.POSITIVE_INFINITY) > time
      await expect.poll(isDone).toBe(true)
    },
  })
}

import { randomUUID } from 'node:crypto'
import { type OpenRequest, openRequest } from '../capture/kept-request.ts'
import { sealRequest } from '../capture/seal-request.ts'
import { expandRequest, parseScreenshotRequest, type RequestLimits } from '../contract/screenshot-request.ts'
import type { Origin } from '../contract/status.ts'
import { AppError } from '../errors.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import type { NewRequest } from '../store/captures.ts'
import type { ScheduleKey, StoredSchedule } from '../store/schedules.ts'
import { otherWork } from '../work/other-work.ts'

export interface PrepareOptions {
  readonly ring: KeyRing
  readonly limits: RequestLimits
  /** The request of a template. Undefined: there is no such template. Throws CannotOpen. */
  readonly findTemplate: (projectId: string, templateId: string) => Promise<OpenRequest | undefined>
}

/** Where the sealed text of a schedule belongs. */
export function placeOf({ scheduleId }: Pick<ScheduleKey, 'scheduleId'>): string {
  return `schedule ${scheduleId}`
}

/**
 * The root that a schedule creates, ready to be accepted: its secrets are sealed for this root. Or the reason why there is none. Throws
 * only if the storage is away. Requests may be large: between the steps, others use the event loop.
 */
export async function prepareRoot(
  schedule: StoredSchedule,
  { created, origin }: { readonly created: number; readonly origin: Origin },
  options: PrepareOptions,
): Promise<NewRequest | { readonly problem: string }> {
  try {
    const { given, bare } = await getRequest(schedule, options)
    await otherWork()
    // Without the secrets: a mistake would tell how long they are.
    const { mistakes } = parseScreenshotRequest(bare, options.limits)
    if (mistakes) {
      const told = mistakes.map(({ pointer, detail }) => `${pointer} ${detail}`)
      return { problem: `the request is no longer allowed: ${told.join('; ')}` }
    }
    await otherWork()
    const rootId = randomUUID()
    const { projectId, templateId } = schedule
    const { options: shared, placed } = expandRequest(given, options.limits)
    const asked = { options: shared, pages: placed.map(({ page }) => page) }
    const sealed = await sealRequest(asked, rootId, options.ring)
    await otherWork()
    return {
      ...sealed,
      ...{ projectId, rootId, created, idempotencyKey: undefined },
      origin: { ...(templateId !== undefined && { templateId }), ...origin },
    }
  } catch (error) {
    if (error instanceof CannotOpen)
      return { problem: 'its password, headers or cookies cannot be decrypted: give them again' }
    if (error instanceof AppError && error.code === 'bad_request') return { problem: error.message }
    throw error
  }
}

/** Throws `bad_request` if there is no request to run. */
async function getRequest(
  schedule: StoredSchedule,
  { ring, findTemplate }: PrepareOptions,
): Promise<OpenRequest> {
  const { projectId, templateId, request, sealed } = schedule
  if (request === undefined) {
    const found = templateId === undefined ? undefined : await findTemplate(projectId, templateId)
    if (!found) throw new AppError('bad_request', 'its template no longer exists')
    return found
  }
  await otherWork()
  const opened = openRequest({ request, sealed }, ring, { place: placeOf(schedule) })
  if (!opened.given) throw new AppError('bad_request', opened.mistakes.map(({ detail }) => detail).join('; '))
  return opened
}

import { randomUUID } from 'node:crypto'
import type { RequestContent } from '../capture/digest.ts'
import { openRequest, toAsked } from '../capture/kept-request.ts'
import { sealRequest } from '../capture/seal-request.ts'
import type { RequestLimits } from '../contract/screenshot-request.ts'
import type { Origin } from '../contract/status.ts'
import { AppError } from '../errors.ts'
import { CannotOpen, type KeyRing } from '../secrets/key-ring.ts'
import type { NewRequest } from '../store/captures.ts'
import type { ScheduleKey, StoredSchedule } from '../store/schedules.ts'
import { otherWork } from '../work/other-work.ts'

export interface PrepareOptions {
  readonly ring: KeyRing
  readonly limits: RequestLimits
  /** What a template asks for. Undefined: there is no such template. Throws CannotOpen, and `bad_request` with all mistakes. */
  readonly findTemplate: (projectId: string, templateId: string) => Promise<RequestContent | undefined>
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
    const asked = await getAsked(schedule, options)
    await otherWork()
    const rootId = randomUUID()
    const { projectId, templateId } = schedule
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
    if (!(error instanceof AppError) || error.code !== 'bad_request') throw error
    if (error.mistakes.length === 0) return { problem: error.message }
    const told = error.mistakes.map((each) => `${'pointer' in each ? each.pointer : ''} ${each.detail}`)
    return { problem: `the request is no longer allowed: ${told.join('; ')}` }
  }
}

/** Throws `bad_request` if there is no request to run. */
async function getAsked(
  schedule: StoredSchedule,
  { ring, limits, findTemplate }: PrepareOptions,
): Promise<RequestContent> {
  const { projectId, templateId, request, sealed } = schedule
  if (request === undefined) {
    const found = templateId === undefined ? undefined : await findTemplate(projectId, templateId)
    if (!found) throw new AppError('bad_request', 'its template no longer exists')
    return found
  }
  await otherWork()
  return await toAsked(openRequest({ request, sealed }, ring, { place: placeOf(schedule) }), limits)
}

import type { FastifyRequest } from 'fastify'
import type { Door } from '../../access/door.ts'
import { type ImageKey, type Images, parseKey } from '../../images/images.ts'

/** Pictures that a result points at, but that cannot be served. Each time, an error is logged. */
export class GonePictures {
  readonly #door: Pick<Door, 'isShown'>
  readonly #images: Pick<Images, 'condition'>
  /** How often that happened, by the condition of the picture. */
  readonly counts = { missing: 0, damaged: 0 }

  constructor(door: Pick<Door, 'isShown'>, images: Pick<Images, 'condition'>) {
    this.#door = door
    this.#images = images
  }

  /** Call it for a picture that could not be opened. Does nothing if no result points at it. Never throws. */
  async report(key: ImageKey, request: FastifyRequest): Promise<void> {
    const { projectId, picture, file } = parseKey(key)
    // If the database does not answer, assume that a result points at it.
    const isShown = await this.#door.isShown(projectId, picture).catch(() => true)
    if (!isShown) return
    const found = await this.#images.condition(key).catch(() => 'missing' as const)
    // It may have been put back meanwhile.
    const condition = found === 'whole' ? 'missing' : found
    this.counts[condition]++
    request.log.error(
      { reqId: request.id, projectId, uuid: picture, file, condition },
      `a picture is ${condition}`,
    )
  }
}

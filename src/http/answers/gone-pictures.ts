import type { FastifyRequest } from 'fastify'
import type { Door } from '../../access/door.ts'
import { type Condition, type ImageKey, type Images, parseKey } from '../../images/images.ts'

/** Pictures that a result points at and that cannot be served: each time one is met it is an error in the log. */
export class GonePictures {
  readonly #door: Pick<Door, 'isShown'>
  readonly #images: Pick<Images, 'condition'>
  /** How often one was met, by its condition. */
  readonly counts = new Map<Exclude<Condition, 'whole'>, number>([
    ['missing', 0],
    ['damaged', 0],
  ])

  constructor(door: Pick<Door, 'isShown'>, images: Pick<Images, 'condition'>) {
    this.#door = door
    this.#images = images
  }

  /** Of a picture that could not be opened. Says nothing where no result points at it. Never throws. */
  async report(key: ImageKey, request: FastifyRequest): Promise<void> {
    const { projectId, uuid, file } = parseKey(key)
    // While the database does not answer, a result may point at it.
    const isShown = await this.#door.isShown(projectId, uuid).catch(() => true)
    if (!isShown) return
    const found = await this.#images.condition(key).catch(() => 'missing' as const)
    // It may have been put back in this moment.
    const condition = found === 'whole' ? 'missing' : found
    this.counts.set(condition, (this.counts.get(condition) ?? 0) + 1)
    request.log.error({ reqId: request.id, projectId, uuid, file, condition }, `a picture is ${condition}`)
  }
}

import type { FastifyRequest } from 'fastify'
import { type Condition, type ImageKey, type Images, parseKey } from '../../images/images.ts'
import type { Store } from '../../store/store.ts'

/** Pictures that a result points at and that cannot be served: each time one is met it is an error in the log. */
export class GonePictures {
  readonly #store: Pick<Store, 'browsing'>
  readonly #images: Pick<Images, 'condition'>
  /** How often one was met, by its condition. */
  readonly counts = new Map<Exclude<Condition, 'whole'>, number>([
    ['missing', 0],
    ['damaged', 0],
  ])

  constructor(store: Pick<Store, 'browsing'>, images: Pick<Images, 'condition'>) {
    this.#store = store
    this.#images = images
  }

  /** Of a picture that could not be opened. Says nothing where no result points at it. Never throws. */
  async report(key: ImageKey, request: FastifyRequest): Promise<void> {
    const { projectId, uuid, file } = parseKey(key)
    // Where the database is away, nobody can tell that it is not.
    const isPointedAt = await this.#store.browsing.findJob(projectId, uuid).catch(() => true)
    if (!isPointedAt) return
    const found = await this.#images.condition(key).catch(() => 'missing' as const)
    // It may have been put back in this moment.
    const condition = found === 'whole' ? 'missing' : found
    this.counts.set(condition, (this.counts.get(condition) ?? 0) + 1)
    request.log.error({ reqId: request.id, projectId, uuid, file, condition }, `a picture is ${condition}`)
  }
}

import type { CaptureKey, NewRequest } from '../../src/store/captures.ts'

interface ModelCapture extends CaptureKey {
  readonly turn: number
  readonly queued: number
  state: 'queued' | 'running' | 'done' | 'failed'
  attempts: number
  attempt: string | undefined
  due: number
  lease: number
  changed: number
}

interface ModelRequest {
  readonly projectId: string
  readonly rootId: string
  readonly digest: string
  readonly key: string | undefined
  version: number
}

/** What the port says, in the plainest words: lists that are looked through. */
export class CapturesModel {
  readonly requests: ModelRequest[] = []
  readonly captures: ModelCapture[] = []

  accept({ projectId, rootId, digest, idempotencyKey: key, pages, created }: NewRequest): string {
    const before = this.requests.find((one) => one.projectId === projectId && key && one.key === key)
    if (before) return before.digest === digest ? before.rootId : 'conflict'
    const waiting = this.#unfinished()
    const own = waiting.filter((one) => one.projectId === projectId).map(({ turn }) => turn)
    const fresh = waiting.filter(
      ({ state, attempts, due }) => state === 'queued' && attempts === 0 && due <= created,
    )
    const others = (fresh.length > 0 ? fresh : waiting).map(({ turn }) => turn)
    const first = own.length > 0 ? Math.max(...own) + 1 : others.length > 0 ? Math.min(...others) : 0
    this.requests.push({ projectId, rootId, digest, key, version: 1 })
    pages.forEach((_, position) => {
      const place = { projectId, rootId, position, turn: first + position, queued: created }
      const begin = {
        state: 'queued',
        attempts: 0,
        attempt: undefined,
        due: 0,
        lease: 0,
        changed: 1,
      } as const
      this.captures.push({ ...place, ...begin })
    })
    return rootId
  }

  /** The one that comes next, if any is due. */
  next(now: number): ModelCapture | undefined {
    return this.#unfinished()
      .filter(({ state, due, lease }) => (state === 'queued' ? due <= now : lease < now))
      .toSorted((a, b) => a.turn - b.turn || a.queued - b.queued || a.position - b.position)[0]
  }

  begin(capture: ModelCapture, attempt: string, until: number): void {
    Object.assign(capture, { state: 'running', attempts: capture.attempts + 1, attempt, lease: until })
    this.#count(capture)
  }

  /** The capture that this attempt may still end. */
  of(attempt: string): ModelCapture | undefined {
    return this.#unfinished().find((one) => one.attempt === attempt)
  }

  end(capture: ModelCapture, state: 'done' | 'failed'): void {
    capture.state = state
    this.#count(capture)
  }

  putBack(capture: ModelCapture, due: number, counts: boolean): void {
    const attempts = capture.attempts - (counts ? 0 : 1)
    Object.assign(capture, { state: 'queued', attempts, attempt: undefined, due })
    this.#count(capture)
  }

  pagesOf(rootId: string): ModelCapture[] {
    return this.captures.filter((one) => one.rootId === rootId)
  }

  isFinished({ state }: ModelCapture): boolean {
    return state === 'done' || state === 'failed'
  }

  #unfinished(): ModelCapture[] {
    return this.captures.filter((one) => !this.isFinished(one))
  }

  #count(capture: ModelCapture): void {
    const request = this.requests.find(({ rootId }) => rootId === capture.rootId)
    if (!request) throw new Error('a capture of no request')
    request.version += 1
    capture.changed = request.version
  }
}

import { type CaptureKey, type NewRequest, type PutBack, SUSPECT_DEATHS } from '../../src/store/captures.ts'

interface ModelCapture extends CaptureKey {
  readonly turn: number
  readonly queued: number
  state: 'queued' | 'running' | 'done' | 'failed'
  attempts: number
  deaths: number
  attempt: string | undefined
  due: number
  started: number
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

interface ModelProject {
  readonly projectId: string
  /** Time used in the browser, without running attempts. */
  used: number
  since: number
}

/** The fixed cost of an attempt, beside its time. */
const ATTEMPT_MS = 100

/** The contract in its simplest form: lists that are searched. */
export class CapturesModel {
  readonly requests: ModelRequest[] = []
  readonly captures: ModelCapture[] = []
  readonly projects: ModelProject[] = []

  accept({ projectId, rootId, digest, idempotencyKey: key, pages, created }: NewRequest): string {
    const before = this.requests.find((one) => one.projectId === projectId && key && one.key === key)
    if (before) return before.digest === digest ? before.rootId : 'conflict'
    this.#join(projectId, created)
    const own = this.#unfinished()
      .filter((one) => one.projectId === projectId)
      .map(({ turn }) => turn)
    const first = Math.max(-1, ...own) + 1
    this.requests.push({ projectId, rootId, digest, key, version: 1 })
    pages.forEach((_, position) => {
      const place = { projectId, rootId, position, turn: first + position, queued: created }
      const begin = { state: 'queued', attempts: 0, deaths: 0, attempt: undefined } as const
      this.captures.push({ ...place, ...begin, due: 0, started: 0, lease: 0, changed: 1 })
    })
    return rootId
  }

  /** The next capture, if any is due. */
  next(now: number, { idleOnly = false, suspects = false } = {}): ModelCapture | undefined {
    const due = (projectId: string) =>
      this.#due(projectId, now).filter(({ deaths }) => deaths >= SUSPECT_DEATHS === suspects)
    const project = this.projects
      .filter(({ projectId }) => due(projectId).length > 0)
      .filter(({ projectId }) => !idleOnly || this.#underWay(projectId).length === 0)
      .toSorted((a, b) => this.#usedBy(a, now) - this.#usedBy(b, now) || a.since - b.since)[0]
    return project && due(project.projectId).toSorted((a, b) => a.turn - b.turn)[0]
  }

  begin(capture: ModelCapture, attempt: string, { now, leaseMs }: { now: number; leaseMs: number }): void {
    this.#charge(capture, now)
    this.#projectOf(capture).used += ATTEMPT_MS
    const attempts = capture.attempts + 1
    Object.assign(capture, { state: 'running', attempts, attempt, started: now, lease: now + leaseMs })
    this.#count(capture)
  }

  /** The capture that this attempt may still end. */
  of(attempt: string): ModelCapture | undefined {
    return this.#unfinished().find((one) => one.attempt === attempt)
  }

  end(capture: ModelCapture, state: 'done' | 'failed', now: number): void {
    this.#charge(capture, now)
    capture.state = state
    this.#count(capture)
  }

  putBack(capture: ModelCapture, { now, due, counts, died = false }: PutBack): void {
    this.#charge(capture, now)
    const attempts = capture.attempts - (counts ? 0 : 1)
    const deaths = capture.deaths + (died ? 1 : 0)
    Object.assign(capture, { state: 'queued', attempts, deaths, attempt: undefined, due })
    this.#count(capture)
  }

  pagesOf(rootId: string): ModelCapture[] {
    return this.captures.filter((one) => one.rootId === rootId)
  }

  isFinished({ state }: ModelCapture): boolean {
    return state === 'done' || state === 'failed'
  }

  backlog() {
    const queued = this.captures.filter(({ state }) => state === 'queued').map((one) => one.queued)
    const running = this.captures.filter(({ state }) => state === 'running').length
    return { waiting: queued.length, running, oldest: queued.length > 0 ? Math.min(...queued) : undefined }
  }

  /** Begins at the least time used by the others; a waiting project keeps its debt. */
  #join(projectId: string, now: number): void {
    const competing = this.projects.filter(
      (one) => this.#due(one.projectId, now).length + this.#underWay(one.projectId).length > 0,
    )
    const others = competing.filter((one) => one.projectId !== projectId)
    const least = others.length > 0 ? Math.min(...others.map((one) => this.#usedBy(one, now))) : 0
    const project = this.projects.find((one) => one.projectId === projectId)
    if (!project) this.projects.push({ projectId, used: least, since: now })
    else if (!this.#unfinished().some((one) => one.projectId === projectId))
      Object.assign(project, { used: least, since: now })
    else if (!competing.includes(project)) project.used = Math.max(project.used, least)
  }

  #due(projectId: string, now: number): ModelCapture[] {
    return this.#unfinished()
      .filter((one) => one.projectId === projectId)
      .filter(({ state, due }) => state === 'queued' && due <= now)
  }

  #underWay(projectId: string): ModelCapture[] {
    return this.captures.filter((one) => one.projectId === projectId && one.state === 'running')
  }

  #usedBy({ projectId, used }: ModelProject, now: number): number {
    return this.#underWay(projectId).reduce((sum, { started }) => sum + now - started, used)
  }

  #charge(capture: ModelCapture, now: number): void {
    if (capture.state !== 'running') return
    this.#projectOf(capture).used += Math.min(now, capture.lease) - capture.started
  }

  #projectOf({ projectId }: ModelCapture): ModelProject {
    const project = this.projects.find((one) => one.projectId === projectId)
    if (!project) throw new Error('a capture of no project')
    return project
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

import { keepNewest } from '../work/kept.ts'

/** Attempts under way that are not slow yet. */
const SLOTS = 48
/** More of them, one at a time for each project that has none: so a few projects cannot take all slots. */
const SPARE_SLOTS = 32
/** The most slots of one project, and of one receiver that has always answered well. */
const OF_PROJECT = 32
const OF_RECEIVER = 24
/** The most slots of one project while another one sends, too: they share more than the slots. */
const OF_SEVERAL = 8
/** A project that has begun nothing for this long is not sending. */
const RECENT_MS = 1_000
/** How many receivers that have not answered well yet a project may try at a time, while fewer than `HANGING_OF_PROJECT` hang. */
const UNPROVEN_OF_PROJECT = 2
const HANGING_OF_PROJECT = 8
/** Beside the slots: attempts at receivers that are slow, or webhooks that fail. One at a time for each receiver. */
const TROUBLED = 32
const TROUBLED_OF_PROJECT = 4
/** Attempts under way, slow ones included. */
const MOST = 256
/** An attempt that takes longer is slow. Then it holds no slot any more, and its receiver is known to be slow. */
const SLOW_MS = 3_000
/** How many projects and receivers are remembered. The least recently used ones are forgotten. */
const MAX_PROJECTS = 1_000
const MAX_RECEIVERS_OF_PROJECT = 50

/** The receiver of a webhook, and what the store knows of the webhook. */
export interface Aim {
  readonly projectId: string
  /** Its host and port. */
  readonly receiver: string
  /** The last attempt of the webhook failed. */
  readonly isFailing: boolean
}

/** What an attempt showed about its receiver. `nothing`: it was not sent. */
export type Lesson = 'well' | 'failed' | 'nothing'

interface UnderWay extends Omit<Aim, 'isFailing'> {
  readonly began: number
  readonly isTroubled: boolean
  readonly isUnproven: boolean
}

interface ProjectMemory {
  /** Counts up with everything that begins, over all projects. */
  lastBegun: number
  /** `allowance`: attempts that may be under way, one more with each that went well. */
  readonly receivers: Map<string, { readonly allowance: number; readonly isSlow: boolean }>
}

/**
 * Decides which attempts may begin. Projects share the slots, and receivers share those of their project. Knowledge about a
 * receiver is kept by project and host, so removing a webhook and creating it again changes nothing.
 */
export class Lanes {
  readonly #underWay = new Set<UnderWay>()
  readonly #projects = new Map<string, ProjectMemory>()
  readonly #clock: () => number
  #begun = 0
  /** The project that has begun something last, and the last other one. */
  #last: readonly { readonly projectId: string; readonly at: number }[] = []

  /** `clock`: monotonic, in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /** How many attempts may be begun now. */
  roomFor(aim: Aim): number {
    const { projectId, receiver } = aim
    const known = this.#projects.get(projectId)?.receivers.get(receiver)
    const young = this.#count((one) => this.#isYoung(one))
    const own = [...this.#underWay].filter((one) => one.projectId === projectId)
    const ofReceiver = own.filter((one) => one.receiver === receiver)
    const isHanging = ofReceiver.some((one) => !this.#isYoung(one))
    const allowance = known?.allowance ?? 1
    const free = Math.min(MOST - this.#underWay.size, allowance - ofReceiver.length)
    if (this.#isTroubled(aim) || isHanging) {
      const ofAll = TROUBLED - this.#count((one) => one.isTroubled)
      const ofProject = TROUBLED_OF_PROJECT - own.filter((one) => one.isTroubled).length
      return Math.max(0, Math.min(free, 1 - ofReceiver.length, ofAll, ofProject))
    }
    const ownYoung = own.filter((one) => this.#isYoung(one))
    const unproven = UNPROVEN_OF_PROJECT - ownYoung.filter((one) => one.isUnproven).length
    const hanging = HANGING_OF_PROJECT - (own.length - ownYoung.length)
    if (allowance === 1 && Math.min(unproven, hanging) <= 0) return 0
    const spare = ownYoung.length === 0 ? Math.min(1, SLOTS + SPARE_SLOTS - young) : 0
    return Math.max(
      0,
      Math.min(free, this.#mostOf(projectId) - ownYoung.length, Math.max(SLOTS - young, spare)),
    )
  }

  /** Returns what to call when the attempt is over. */
  begin(aim: Aim): (lesson: Lesson) => void {
    const { projectId, receiver } = aim
    const project = this.#remember(projectId)
    const other = this.#last.find((one) => one.projectId !== projectId)
    this.#last = [{ projectId, at: this.#clock() }, ...(other ? [other] : [])]
    project.lastBegun = ++this.#begun
    const attempt: UnderWay = {
      ...{ projectId, receiver, began: this.#clock() },
      isTroubled: this.#isTroubled(aim),
      isUnproven: (project.receivers.get(receiver)?.allowance ?? 1) === 1,
    }
    this.#underWay.add(attempt)
    return (lesson) => {
      this.#underWay.delete(attempt)
      if (lesson !== 'nothing') this.#learn(attempt, lesson === 'well')
    }
  }

  /**
   * Puts webhooks in the order of their turns: first one of each project, the project first that has least under way and began
   * something longest ago. Of one project, those come first that are not in trouble, and then as given.
   */
  inTurns<One extends Aim>(webhooks: readonly One[]): One[] {
    const ofProjects = [...Map.groupBy(webhooks, ({ projectId }) => projectId)]
    const ranked = ofProjects.flatMap(([projectId, ofProject]) => {
      const underWay = this.#count((one) => one.projectId === projectId)
      const lastBegun = this.#projects.get(projectId)?.lastBegun ?? 0
      return ofProject
        .toSorted((a, b) => Number(this.#isTroubled(a)) - Number(this.#isTroubled(b)))
        .map((webhook, round) => ({ webhook, round, underWay, lastBegun }))
    })
    return ranked
      .toSorted((a, b) => a.round - b.round || a.underWay - b.underWay || a.lastBegun - b.lastBegun)
      .map(({ webhook }) => webhook)
  }

  #mostOf(projectId: string): number {
    const other = this.#last.find((one) => one.projectId !== projectId)
    return other && this.#clock() - other.at < RECENT_MS ? OF_SEVERAL : OF_PROJECT
  }

  #isTroubled({ projectId, receiver, isFailing }: Aim): boolean {
    return isFailing || this.#projects.get(projectId)?.receivers.get(receiver)?.isSlow === true
  }

  #isYoung({ began, isTroubled }: UnderWay): boolean {
    return !isTroubled && this.#clock() - began <= SLOW_MS
  }

  #count(which: (one: UnderWay) => boolean): number {
    let count = 0
    for (const one of this.#underWay) if (which(one)) count++
    return count
  }

  #learn({ projectId, receiver, began }: UnderWay, isWell: boolean): void {
    const { receivers } = this.#remember(projectId)
    const { allowance = 1 } = receivers.get(receiver) ?? {}
    const isSlow = this.#clock() - began > SLOW_MS
    const learned = { isSlow, allowance: isWell && !isSlow ? Math.min(OF_RECEIVER, allowance + 1) : 1 }
    keepNewest(receivers, receiver, learned, MAX_RECEIVERS_OF_PROJECT)
  }

  #remember(projectId: string): ProjectMemory {
    const project = this.#projects.get(projectId) ?? { lastBegun: 0, receivers: new Map() }
    keepNewest(this.#projects, projectId, project, MAX_PROJECTS)
    return project
  }
}

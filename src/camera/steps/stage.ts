import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import type { Note } from '../../contract/seen.ts'
import type { PageToShoot } from '../camera.ts'
import type { Answer, State } from '../in-page/elements.ts'
import { type Network, QUIET_MS, whenLoaded } from '../loading.ts'
import { before, type LoadingTime, whereverItGoes } from '../patience.ts'
import type { Trust } from '../trust.ts'
import type { Visit } from '../visit.ts'
import type { World } from './world.ts'

const LOOK_MS = 50
/** A step without which the picture would be wrong has at least so much time. */
const LEAST_MS = 1_000
/** A page that answered only at last has so much more. */
const AGAIN_MS = 4_000

/** To try again would change nothing. */
const FINAL: readonly State[] = ['invalid', 'elsewhere']

/** Everything that the steps of a page share. */
export interface Stage {
  readonly page: Page
  readonly session: CDPSession
  readonly network: Network
  readonly visit: Visit
  readonly world: World
  /** Of a page with secrets. */
  readonly trust: Trust | undefined
  readonly wanted: PageToShoot
  readonly time: LoadingTime
  readonly signal: AbortSignal
  readonly notes: Note[]
  /** Throws if a script keeps the page busy. */
  readonly requireAnswer: () => Promise<void>
  /** The option that the page was asked about last. */
  doing: string | undefined
}

/** Remembers an option. If the page has not answered for the one before, that one keeps it busy. */
export function begin(stage: Stage, option: string): void {
  if (!stage.world.isAsked) stage.doing = option
}

/** Tries until an element is ready or the time is over, in whatever document the page then has. */
export async function tryUntil<T extends Answer>(
  { visit }: Stage,
  end: number,
  work: () => Promise<T>,
): Promise<T | { readonly state: Exclude<State, 'ready'> }> {
  let last: T | undefined
  const done = await before(end, (over) =>
    whereverItGoes(async () => {
      for (;;) {
        visit.requirePage()
        last = await work()
        if (last.state === 'ready' || FINAL.includes(last.state)) return last
        await sleep(LOOK_MS, undefined, { signal: over })
      }
    }, over),
  )
  if (done) return done
  const state = last?.state ?? 'silent'
  return { state: state === 'ready' ? 'silent' : state }
}

/** For a step without which the picture would be wrong. A page that is slow, but not stuck, is asked once more. */
export async function tryHard<T extends Answer>(
  stage: Stage,
  work: () => Promise<T>,
  end = endOfNeed(stage),
): ReturnType<typeof tryUntil<T>> {
  const answer = await tryUntil(stage, end, work)
  if (answer.state === 'ready' || FINAL.includes(answer.state)) return answer
  await stage.requireAnswer()
  return answer.state === 'silent' ? await tryUntil(stage, performance.now() + AGAIN_MS, work) : answer
}

function endOfNeed({ time }: Stage): number {
  return Math.max(time.end, performance.now() + LEAST_MS)
}

/** Waits until the page is loaded and its network is quiet. A page that never is gets half of the time that is left. */
export async function settle({ page, session, network, visit, time }: Stage): Promise<void> {
  await before(time.share(1), (over) =>
    whereverItGoes(async () => {
      await network.quiet(QUIET_MS, over)
      await whenLoaded(page, session, network, { visit, unveilTo: undefined, signal: over })
      await network.quiet(QUIET_MS, over)
    }, over),
  )
}

/** The same after a click: a page takes some time before it asks for something. */
export async function settleAfterClick(stage: Stage): Promise<void> {
  await sleep(Math.min(QUIET_MS, stage.time.left), undefined, { signal: stage.signal })
  await settle(stage)
}

/** For what is done in every document of the page. A page that does not answer is left alone. */
export async function doOnce(stage: Stage, work: () => Promise<unknown>): Promise<void> {
  await before(endOfNeed(stage), (over) => whereverItGoes(work, over))
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Frame, Page } from 'playwright-core'
import type { Note } from '../../contract/seen.ts'
import { type EnteredFrames, enterFrames, type Message } from './frames.ts'
import { loadRules } from './rules.ts'

/** How long it may take to look for a banner, until one that is there is shown, and until it is answered. */
const FIND_MS = 3_000
const SHOW_MS = 3_000
const ANSWER_MS = 10_000
const LOOK_MS = 20

const NO_BANNER = 'No banner that asks for consent was found.'
const NO_ANSWER = 'A banner that asks for consent was found, but it could not be declined.'

export const NO_TIME: Note = { note: 'cookie_banner', detail: 'There was no time to look for a banner.' }

/**
 * Declines a banner that asks for consent. The page has loaded. Returns what did not work. Afterwards the page has to come
 * to rest again.
 */
export async function declineBanner(page: Page, signal: AbortSignal): Promise<Note[]> {
  const rules = await loadRules()
  const search = new Search()
  const moved = (frame: Frame) => {
    if (frame === page.mainFrame()) search.hasMoved = true
  }
  page.on('framenavigated', moved)
  let frames: EnteredFrames | undefined
  try {
    frames = await enterFrames(page, rules, (message, frame) => search.hear(message, frame))
    while (!search.isOver(frames.ids)) await sleep(LOOK_MS, undefined, { signal })
    return search.notes
  } finally {
    page.off('framenavigated', moved)
    await frames?.leave()
  }
}

class Search {
  hasMoved = false
  #state: 'looking' | 'found' | 'declined' = 'looking'
  #until = performance.now() + FIND_MS
  /** Frames in which nothing more will happen. */
  readonly #finished = new Set<string>()

  hear(message: Message, frame: string): void {
    if (message.type === 'cmpDetected') this.#wait(SHOW_MS)
    if (message.type === 'popupFound') {
      this.#state = 'found'
      this.#wait(ANSWER_MS)
    }
    if (message.type === 'autoconsentDone') this.#state = 'declined'
    if (message.type === 'optOutResult' && !message.result) this.#finished.add(frame)
    if (message.type === 'report' && message.state.lifecycle === 'nothingDetected') this.#finished.add(frame)
  }

  isOver(frames: readonly string[]): boolean {
    if (this.#state === 'declined' || performance.now() > this.#until) return true
    if (!this.hasMoved) return frames.every((frame) => this.#finished.has(frame))
    if (this.#state === 'looking') throw new Error('navigated meanwhile')
    // Some pages load again when their banner was answered.
    this.#state = 'declined'
    return true
  }

  get notes(): Note[] {
    if (this.#state === 'declined') return []
    return [{ note: 'cookie_banner', detail: this.#state === 'found' ? NO_ANSWER : NO_BANNER }]
  }

  #wait(milliseconds: number): void {
    this.#until = performance.now() + milliseconds
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { CDPSession } from 'playwright-core'
import type { Size } from '../contract/picture-sizes.ts'
import { before } from './patience.ts'
import { World } from './steps/world.ts'
import { drawAsMuchAs } from './window.ts'

const LOOK_MS = 500
/** A page that has drawn nothing for this long is freed. Another one may just be slow: it doubles each time. */
const PATIENCE_MS = 2_000

/**
 * Does `work`, and frees the page if it draws nothing meanwhile. When a frame leaves its process, the screen may go on waiting for what
 * that process draws, and the page for the screen: then no script is called to draw, and no picture is taken. A screen of another size
 * does not wait.
 */
export async function keepDrawing<T>(
  session: CDPSession,
  { width, height }: Size,
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController()
  const { signal } = done
  const world = new World(session)
  const free = async () => {
    for (let patience = PATIENCE_MS; ; ) {
      await sleep(LOOK_MS, undefined, { signal })
      const draws = () => world.ask(drawOnce).catch(() => true)
      if ((await before(performance.now() + patience, draws)) ?? signal.aborted) continue
      patience *= 2
      // Both are sent at once: nothing else is done while the size is another one.
      await Promise.all([
        drawAsMuchAs(session, { width, height: height + 1 }),
        drawAsMuchAs(session, { width, height }),
      ])
    }
  }
  free().catch(() => {})
  return await work().finally(() => done.abort())
}

/** Runs in the page. */
async function drawOnce(): Promise<true> {
  await new Promise((resolve) => globalThis.requestAnimationFrame(resolve))
  return true
}

import { CaptureFailure } from '../camera.ts'
import { look } from '../in-page/elements.ts'
import { sayWhy, show, toCss } from './selector.ts'
import { type Stage, tryHard } from './stage.ts'

/** Waits until an element is visible. */
export async function waitFor(stage: Stage, selector: string): Promise<void> {
  const { world, wanted } = stage
  const { state } = await tryHard(stage, () => world.ask(look, toCss(selector)))
  if (state === 'ready') return
  throw new CaptureFailure(
    'wait_for',
    state === 'invalid'
      ? sayWhy(selector, state)
      : `${show(selector)} did not become visible within the loading time of ${wanted.loadingTime} ms. ${sayWhy(selector, state)}`,
  )
}

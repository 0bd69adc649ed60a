import type { Login } from '../../contract/options/steps.ts'
import { CaptureFailure } from '../camera.ts'
import { fill, look, type State } from '../in-page/elements.ts'
import { click } from './click.ts'
import { sayWhy, show, toCss } from './selector.ts'
import { type Stage, settle, settleAfterClick, tryHard } from './stage.ts'

/** A form may fade out. */
const GONE_MS = 1_000

/** Fills in the form that the page shows, and opens the page again if that led elsewhere. */
export async function logIn(stage: Stage, { username, password, loginButton }: Login): Promise<void> {
  const { page, world, wanted, visit, time } = stage
  const type = (selector: string, text: string) =>
    tryHard(stage, () => world.ask(fill, toCss(selector), text))
  // Scripts that have not run yet may empty the fields.
  await settle(stage)
  need(username.elementId, (await type(username.elementId, username.username)).state)
  need(password.elementId, (await type(password.elementId, password.password)).state)
  need(loginButton.elementId, await click(stage, loginButton.elementId, (aim) => tryHard(stage, aim)))
  await settleAfterClick(stage)
  await requireGone(stage, password.elementId)
  if (page.url() === new URL(wanted.url).href) return
  await visit.reopen(Math.ceil(time.left) || 1)
  await settle(stage)
  await requireGone(stage, password.elementId)
}

function need(selector: string, state: State): void {
  if (state === 'ready') return
  throw new CaptureFailure('login', `The login did not work. ${sayWhy(selector, state)}`)
}

/** A form that is still there was not accepted. */
async function requireGone(stage: Stage, selector: string): Promise<void> {
  const isGone = async (): Promise<{ state: State }> => {
    const { state } = await stage.world.ask(look, toCss(selector))
    return { state: state === 'ready' ? 'covered' : 'ready' }
  }
  const { state } = await tryHard(stage, isGone, performance.now() + GONE_MS)
  if (state !== 'covered') return need(selector, state)
  throw new CaptureFailure(
    'login',
    `After the login, the page still shows the password field ${show(selector)}. User name or password may be wrong.`,
  )
}

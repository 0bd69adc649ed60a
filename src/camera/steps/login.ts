import type { Login } from '../../contract/options/steps.ts'
import { CaptureFailure } from '../camera.ts'
import { fill, look, type State } from '../in-page/elements.ts'
import { click } from './click.ts'
import { sayWhy, show, toCss } from './selector.ts'
import { endOfNeed, type Stage, settle, settleAfterClick, tryUntil } from './stage.ts'

/** A form may fade out. */
const GONE_MS = 1_000

/** Fills in the form that the page shows, and opens the page again if that led elsewhere. */
export async function logIn(stage: Stage, { username, password, loginButton }: Login): Promise<void> {
  const { page, world, wanted, visit, time } = stage
  const type = (selector: string, text: string) =>
    tryUntil(stage, endOfNeed(stage), () => world.ask(fill, toCss(selector), text))
  // Scripts that have not run yet may empty the fields.
  await settle(stage)
  await need(stage, username.elementId, (await type(username.elementId, username.username)).state)
  await need(stage, password.elementId, (await type(password.elementId, password.password)).state)
  const { elementId } = loginButton
  await need(stage, elementId, await click(stage, elementId, endOfNeed(stage)))
  await settleAfterClick(stage)
  await requireGone(stage, password.elementId)
  if (page.url() === new URL(wanted.url).href) return
  await visit.reopen(Math.ceil(time.left) || 1)
  await settle(stage)
  await requireGone(stage, password.elementId)
}

async function need(stage: Stage, selector: string, state: State): Promise<void> {
  if (state === 'ready') return
  await stage.requireAnswer()
  throw failed(selector, state)
}

function failed(selector: string, state: State): CaptureFailure {
  return new CaptureFailure('login', `The login did not work. ${sayWhy(selector, state)}`)
}

/** A form that is still there was not accepted. */
async function requireGone(stage: Stage, selector: string): Promise<void> {
  const isGone = async (): Promise<{ state: State }> => {
    const { state } = await stage.world.ask(look, toCss(selector))
    return { state: state === 'ready' ? 'covered' : 'ready' }
  }
  let { state } = await tryUntil(stage, performance.now() + GONE_MS, isGone)
  if (state === 'silent') state = (await tryUntil(stage, endOfNeed(stage), isGone)).state
  if (state === 'ready') return
  await stage.requireAnswer()
  if (state === 'silent') throw failed(selector, state)
  throw new CaptureFailure(
    'login',
    `After the login, the page still shows the password field ${show(selector)}. User name or password may be wrong.`,
  )
}

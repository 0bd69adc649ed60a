import { setTimeout as sleep } from 'node:timers/promises'
import { homeOf, type Login } from '../../contract/options/steps.ts'
import { CaptureFailure } from '../camera.ts'
import { type Answer, look, type State } from '../in-page/elements.ts'
import { emptyFields, fill, findWays } from '../in-page/login.ts'
import { click } from './click.ts'
import { problemOfWays } from './login-origins.ts'
import { type LoginRequests, watchRequests } from './login-requests.ts'
import { sayWhy, show, toCss } from './selector.ts'
import { type Stage, settle, settleAfterClick, tryHard } from './stage.ts'

/** A form may fade out. */
const GONE_MS = 1_000
/** A page may pass through another origin, and a script may still change where a form leads. */
const AWAY_MS = 2_000
const LOOK_MS = 50

/**
 * Fills in the form that the page shows, and opens the page again if that led elsewhere. The form must be at an origin that the login
 * was given for, and lead to one.
 */
export async function logIn(stage: Stage, login: Login): Promise<LoginRequests> {
  const { page, session, world, wanted, visit, trust, time } = stage
  const { username, password, loginButton } = login
  const origins = homeOf(wanted.url, login)
  const secrets = { username: username.username, password: password.password }
  const requests = await watchRequests(page, { origins, trust, ...secrets })
  const fields = [toCss(username.elementId), toCss(password.elementId)]
  let problem: string | undefined
  /** Looks at the form each time, just before something is done with it. */
  const atHome = async <T extends Answer>(work: () => Promise<T>): Promise<T | { state: 'elsewhere' }> => {
    const selectors = { fields, button: toCss(loginButton.elementId) }
    for (const end = performance.now() + AWAY_MS; ; await sleep(LOOK_MS)) {
      const ways = await world.ask(findWays, selectors)
      // The answer is bound to its document: if the page has another one by now, `work` fails.
      problem = problemOfWays(ways, { origins, guide: trust?.guide })
      if (problem === undefined) {
        requests.begin()
        return await work()
      }
      if (performance.now() > end) return { state: 'elsewhere' }
    }
  }
  const need = (selector: string, state: State) => {
    if (state !== 'ready') throw failed(problem ?? sayWhy(selector, state))
  }
  const type = async (selector: string, text: string, isHidden: boolean) => {
    const filling = { selector: toCss(selector), text, isHidden, origins }
    const { state } = await tryHard(stage, () => atHome(() => world.ask(fill, filling)))
    need(selector, state)
  }
  // Scripts that have not run yet may empty the fields.
  await settle(stage)
  await type(username.elementId, username.username, false)
  await type(password.elementId, password.password, true)
  const state = await click(stage, loginButton.elementId, (aim) => tryHard(stage, () => atHome(aim)), origins)
  need(loginButton.elementId, state)
  await settleAfterClick(stage)
  requests.requireAllowed()
  await requireGone(stage, password.elementId)
  const empty = async (): Promise<Answer> => {
    await world.ask(emptyFields)
    return { state: 'ready' }
  }
  const emptied = await tryHard(stage, empty)
  need(password.elementId, emptied.state)
  // Going back would show the form with what was typed.
  await session.send('Page.resetNavigationHistory')
  if (page.url() !== new URL(wanted.url).href) {
    const reopen = () => visit.reopen(Math.ceil(time.left) || 1)
    await (trust ? trust.reopen(reopen) : reopen())
    await settle(stage)
    await requireGone(stage, password.elementId)
  }
  return requests
}

/** Call it before each picture: the page may have drawn its form again, with what was typed. */
export async function forgetPassword({ world }: Pick<Stage, 'world'>): Promise<void> {
  await world.ask(emptyFields)
}

/** Throws if the picture that was just taken may show the password. */
export async function requireForgotten({ world }: Pick<Stage, 'world'>): Promise<void> {
  if (await world.ask(emptyFields)) throw failed('The page fills in fields for a password again and again.')
}

function failed(why: string): CaptureFailure {
  return new CaptureFailure('login', `The login did not work. ${why}`)
}

/** A form that is still there was not accepted. */
async function requireGone(stage: Stage, selector: string): Promise<void> {
  const isGone = async (): Promise<Answer> => {
    const { state } = await stage.world.ask(look, toCss(selector))
    return { state: state === 'ready' ? 'covered' : 'ready' }
  }
  const { state } = await tryHard(stage, isGone, performance.now() + GONE_MS)
  if (state === 'ready') return
  if (state !== 'covered') throw failed(sayWhy(selector, state))
  throw new CaptureFailure(
    'login',
    `After the login, the page still shows the password field ${show(selector)}. User name or password may be wrong.`,
  )
}

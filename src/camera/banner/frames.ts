import type { ContentScriptMessage } from '@duckduckgo/autoconsent'
import type { CDPSession, Page } from 'playwright-core'
import { readTree, type Tree } from '../frames.ts'
import { CONFIG, type Rules } from './rules.ts'

/** A world of our own in each frame: the same document, but other globals. Scripts of the page cannot change what runs there. */
const WORLD = 'proofsheet-banner'
const BINDING = 'tellProofsheet'
/** Frames of advertisements are many. */
const MAX_FRAMES = 20
/** What a rule asks of the page's own scripts. */
const EVALUATE_MS = 1_000

export type Message = ContentScriptMessage
/** `frame` is the same for all messages of one frame. */
export type Listener = (message: Message, frame: string) => void

export type EnteredFrames = Awaited<ReturnType<typeof enterFrames>>

/** Looks for banners in all frames of a page, and tells what is found. */
export async function enterFrames(page: Page, rules: Rules, listen: Listener) {
  const sessions = await openSessions(page)
  const entered = await Promise.all(
    sessions.map((session, index) => enter(session, index === 0, rules, listen)),
  )
  return {
    ids: entered.flatMap(({ ids }) => ids),
    /** Scripts that still run in the frames do nothing more. */
    leave: async () => void (await Promise.all(entered.map(({ leave }) => leave().catch(() => {})))),
  }
}

/** That of the page comes first. Frames of other sites have one of their own. */
async function openSessions(page: Page): Promise<CDPSession[]> {
  const [main, ...others] = page.frames()
  const context = page.context()
  const opened = await Promise.all([
    context.newCDPSession(page),
    ...others.slice(0, MAX_FRAMES).map((frame) => context.newCDPSession(frame).catch(() => undefined)),
  ])
  return main ? opened.filter((session) => session !== undefined) : []
}

async function enter(session: CDPSession, isPage: boolean, rules: Rules, listen: Listener) {
  /** Where the page's own scripts run, by frame. */
  const pages = new Map<string, number>()
  const ours = new Map<number, string>()
  session.on('Runtime.executionContextCreated', ({ context: { id, auxData } }) => {
    if (auxData?.['isDefault']) pages.set(String(auxData['frameId']), id)
  })
  const tell = async (contextId: number, message: object) => {
    const expression = `autoconsentReceiveMessage(${JSON.stringify(message)})`
    await session.send('Runtime.evaluate', { expression, contextId })
  }
  const evaluate = async (contextId: number, frame: string, { id, code }: { id: string; code: string }) => {
    const inPage = pages.get(frame)
    if (inPage === undefined) return
    const { result } = await session.send('Runtime.evaluate', {
      ...{ expression: code, contextId: inPage, returnByValue: true, awaitPromise: true },
      timeout: EVALUATE_MS,
    })
    await tell(contextId, { type: 'evalResp', id, result: result.value === true })
  }
  session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    const frame = ours.get(executionContextId)
    if (name !== BINDING || frame === undefined) return
    const message = JSON.parse(payload) as Message
    if (message.type === 'eval') evaluate(executionContextId, frame, message).catch(() => {})
    else listen(message, frame)
  })
  await session.send('Runtime.enable')
  await session.send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD })
  const found = flatten(await readTree(session)).filter(({ url }) => /^https?:/.test(url))
  await Promise.all(
    found.slice(0, MAX_FRAMES).map(async ({ id, url }, index) => {
      const mainFrame = isPage && index === 0
      try {
        const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
          ...{ frameId: id, worldName: WORLD },
        })
        ours.set(contextId, id)
        await session.send('Runtime.evaluate', { expression: `${SHIM};${rules.script}`, contextId })
        const compact = rules.of({ url, mainFrame })
        await tell(contextId, { type: 'initResp', config: CONFIG, rules: { autoconsent: [], compact } })
      } catch (error) {
        // Other frames come and go.
        if (mainFrame) throw error
        for (const [context, frame] of ours) if (frame === id) ours.delete(context)
      }
    }),
  )
  return {
    ids: [...ours.values()],
    async leave() {
      const stop = (contextId: number) =>
        session.send('Runtime.evaluate', { expression: 'stopTelling()', contextId }).catch(() => {})
      await Promise.all([...ours.keys()].map(stop))
      await session.detach()
    },
  }
}

/** Runs in the frame. A script that can no longer tell what it does fails before it clicks. */
const SHIM = `{
  const tell = globalThis.${BINDING}
  let stopped = false
  globalThis.stopTelling = () => { stopped = true }
  globalThis.autoconsentSendMessage = (message) => {
    if (stopped) throw new Error('stopped')
    tell(JSON.stringify(message))
  }
}`

function flatten({ frame, childFrames = [] }: Tree): Tree['frame'][] {
  return [frame, ...childFrames.flatMap(flatten)]
}

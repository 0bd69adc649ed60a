import type { CDPSession } from 'playwright-core'
import type { Paused } from './paused.ts'

/** What a paused request is answered with. */
export type Answer = readonly [
  method: 'Fetch.continueRequest' | 'Fetch.failRequest',
  parameters: { readonly requestId: string; readonly [name: string]: unknown },
]

type Send = (method: string, parameters?: object) => void

interface Message {
  readonly method?: string
  readonly params?: unknown
}

/**
 * Frames in other processes than the page begin paused. No flat sessions: Playwright speaks to those that it has made, and it makes one for
 * a frame when its document may already have asked for something.
 */
const BEGIN_PAUSED = {
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: false,
  filter: [{ type: 'iframe' }],
}

/**
 * Pauses the requests of frames that have processes of their own, and of frames in them, from the first one on. `onApart` is called when
 * a frame gets such a process.
 */
export async function pauseApart(
  session: CDPSession,
  patterns: readonly object[],
  answer: (paused: Paused) => Promise<Answer>,
  onApart: (frameId: string) => void,
): Promise<void> {
  let messages = 0
  const within = (send: Send, sessionId: string): Send => {
    return (method, params = {}) => {
      const message = JSON.stringify({ id: ++messages, method, params })
      send('Target.sendMessageToTarget', { sessionId, message })
    }
  }
  const begin = (send: Send) => {
    send('Fetch.enable', { patterns })
    send('Target.setAutoAttach', BEGIN_PAUSED)
    send('Runtime.runIfWaitingForDebugger')
  }
  const hear = (send: Send, { method, params }: Message): void => {
    if (method === 'Fetch.requestPaused') {
      void answer(params as Paused)
        .then((answered) => send(...answered))
        .catch(() => {})
    } else if (method === 'Target.attachedToTarget') {
      const { sessionId, targetInfo } = params as { sessionId: string; targetInfo: { targetId: string } }
      onApart(targetInfo.targetId)
      begin(within(send, sessionId))
    } else if (method === 'Target.receivedMessageFromTarget') {
      const { sessionId, message } = params as { sessionId: string; message: string }
      hear(within(send, sessionId), JSON.parse(message))
    }
  }
  // The page, or the frame, may be gone.
  const send: Send = (method, parameters) => {
    session.send(method as 'Target.sendMessageToTarget', parameters as never).catch(() => {})
  }
  for (const method of ['Target.attachedToTarget', 'Target.receivedMessageFromTarget'] as const) {
    session.on(method, (params) => hear(send, { method, params }))
  }
  await session.send('Target.setAutoAttach', BEGIN_PAUSED)
}

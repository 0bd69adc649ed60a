import type { CDPSession } from 'playwright-core'

/** Where pages listen for scrolling. */
const SCROLLED = ['window', 'document', 'document.documentElement', 'document.body']

/** Whether a script of the page reacts to scrolling: by a listener, or by observing what becomes visible. */
export async function hearsScrolling(session: CDPSession): Promise<'listens' | 'observes' | false> {
  const objectGroup = 'scrolling'
  const find = async (expression: string) =>
    (await session.send('Runtime.evaluate', { expression, objectGroup })).result.objectId
  try {
    for (const expression of SCROLLED) {
      const objectId = await find(expression)
      if (objectId === undefined) continue
      const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId })
      if (listeners.some(({ type }) => /^(scroll|scrollend|wheel)$/.test(type))) return 'listens'
    }
    const prototypeObjectId = await find('IntersectionObserver.prototype')
    if (prototypeObjectId === undefined) return false
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId, objectGroup })
    const { result } = await session.send('Runtime.callFunctionOn', {
      ...{ objectId: objects.objectId ?? '', returnByValue: true },
      functionDeclaration: 'function () { return this.length }',
    })
    return result.value > 0 && 'observes'
  } finally {
    await session.send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => {})
  }
}

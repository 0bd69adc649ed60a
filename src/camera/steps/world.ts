import type { CDPSession } from 'playwright-core'
import { outermostOf } from '../frames.ts'
import { type Find, find } from '../in-page/elements.ts'

const NAME = 'proofsheet'

/**
 * A world of our own in the page: the same document, but other globals. Scripts of the page can neither see nor change
 * what runs there. Errors that come from it have no text of the page in them: arguments may be secrets.
 */
export class World {
  readonly #session: CDPSession
  #frameId: string | undefined
  /** Of the document that the page had last. */
  #context: number | undefined
  #questions = 0

  constructor(session: CDPSession) {
    this.#session = session
  }

  /** Whether the page has not answered yet. */
  get isAsked(): boolean {
    return this.#questions > 0
  }

  /** Calls a function in the document that the page has now. It can use nothing from outside itself but `find`. */
  async ask<Given extends unknown[], Answer>(
    work: (find: Find, ...given: Given) => Answer | Promise<Answer>,
    ...given: Given
  ): Promise<Answer> {
    const { result, exceptionDetails } = await this.#call(work, given).catch((error) => {
      this.#context = undefined
      throw /closed/.test(error.message) ? error : new Error('navigated meanwhile')
    })
    // An element of the page can have the name of a method of `document`. The call is tried again until the time is over.
    if (exceptionDetails) throw new Error('navigated meanwhile')
    return result.value as Answer
  }

  /** Calls a function in every document from now on, before the page's scripts, and in the one that is there. */
  async inEveryDocument<Given>(work: (_: unknown, given: Given) => void, given: Given): Promise<void> {
    await this.#session.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `(${work})(undefined, ${JSON.stringify(given)})`,
      worldName: NAME,
      runImmediately: true,
    })
  }

  async #call(work: (...given: never[]) => unknown, given: readonly unknown[]) {
    this.#questions++
    try {
      this.#context ??= await this.#enter()
      return await this.#session.send('Runtime.callFunctionOn', {
        executionContextId: this.#context,
        functionDeclaration: `(...given) => { const find = ${find}; return (${work})(find, ...given) }`,
        arguments: given.map((value) => ({ value })),
        awaitPromise: true,
        returnByValue: true,
      })
    } finally {
      this.#questions--
    }
  }

  async #enter(): Promise<number> {
    this.#frameId ??= await outermostOf(this.#session)
    const made = await this.#session.send('Page.createIsolatedWorld', {
      frameId: this.#frameId,
      worldName: NAME,
    })
    return made.executionContextId
  }
}

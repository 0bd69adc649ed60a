import { paths } from '../../contract/paths.ts'
import { Readiness } from '../../contract/readiness.ts'
import { Type } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'
import { findMissingBrowser } from '../answers/no-browser.ts'
import { problemResponses } from '../answers/responses.ts'
import type { HttpContext, Server } from '../context.ts'

const READING = 'Results can still be read.'
const STUCK =
  'Pages wait, but this process has begun none of them for two minutes. Read its log, or restart it.'
const Ok = Type.Object({ status: Type.Literal('ok') }, { description: 'Yes.' })

/**
 * `/healthz`: the process runs. `/readyz`: it can answer all requests, also those that write. It also says whether pages can be
 * captured.
 */
export function health(server: Server, context: HttpContext): void {
  const { checkDatabase, images, whyWaiting } = context
  server.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    config: { access: 'everyone' },
    schema: {
      operationId: 'healthz',
      tags: ['Operating'],
      summary: 'Is the process alive',
      description: 'Does not ask the database.',
      security: [],
      response: { 200: Ok },
    },
    handler: async () => ({ status: 'ok' as const }),
  })
  server.route({
    method: ['GET', 'HEAD'],
    url: paths.getReadiness,
    config: { access: 'everyone' },
    schema: {
      operationId: 'readyz',
      tags: ['Operating'],
      summary: 'Can the service answer',
      description:
        'Asks the database and the storage of the pictures, tries whether they can be written, and names the browser.',
      security: [],
      response: { 200: Readiness, ...problemResponses('unavailable', 'storage_full', 'storage_failed') },
    },
    handler: async () => {
      const [capturing] = await Promise.all([
        describeCapturing(context),
        naming('The database', checkDatabase),
        naming('The store of the pictures', () => images.check()),
      ])
      const waiting = await whyWaiting({ knownMs: 0 })
      if (waiting) throw new AppError(waiting.reason, `${waiting.detail} ${READING}`, { isTold: true })
      return { status: 'ok' as const, capturing }
    },
  })
}

/** The message names the part that does not answer, and no internals. */
async function naming(part: string, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.isTold) throw cause
    throw new AppError(cause.code, `${part} does not answer as it should.`, { cause, isTold: true })
  }
}

async function describeCapturing(context: HttpContext): Promise<Readiness['capturing']> {
  const detail = await findMissingBrowser(context)
  if (detail !== undefined) return { state: 'no_browser', detail }
  if (await context.isStuck()) return { state: 'stuck', detail: STUCK }
  const found = await context.findBrowser()
  return found ? { state: 'ready', browser: `${found.kind} ${found.origin}` } : { state: 'elsewhere' }
}

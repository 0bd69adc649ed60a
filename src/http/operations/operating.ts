import { paths } from '../../contract/paths.ts'
import { Readiness } from '../../contract/readiness.ts'
import { Type } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'
import { findMissingBrowser } from '../answers/no-browser.ts'
import { json } from '../answers/responses.ts'
import type { HttpContext } from '../context.ts'
import type { Declare } from '../operation.ts'
import type { Metrics } from '../rules/metrics.ts'

const READING = 'Results can still be read.'
const STUCK =
  'Pages wait, but this process has begun none of them in the last two minutes. Read its log, or restart it.'
const ALIVE = 'The process is alive.'
const Ok = Type.Object({ status: Type.Literal('ok') }, { description: ALIVE })

export function operating(declare: Declare, context: HttpContext, metrics: Metrics): void {
  const { checkDatabase, images, whyWaiting } = context
  declare({
    id: 'healthz',
    summary: 'Check that the process is alive',
    description: 'Does not use the database.',
    access: 'everyone',
    path: '/healthz',
    answers: { 200: json(ALIVE, Ok) },
    run: async () => ({ status: 'ok' as const }),
  })
  declare({
    id: 'readyz',
    summary: 'Check that the service can answer',
    description: 'Checks that the database and the pictures can be read and written, and names the browser.',
    access: 'everyone',
    path: paths.getReadiness,
    answers: { 200: json('Results can be read.', Readiness) },
    fails: ['unavailable', 'storage_full', 'storage_failed'],
    async run() {
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
  declare({
    id: 'metrics',
    summary: 'Get the metrics for Prometheus',
    description: 'The metrics of this process. docs/operating.md says which ones to watch.',
    access: 'metrics',
    path: '/metrics',
    answers: {
      200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: Type.String() } } },
    },
    run: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()),
  })
}

/** The message names the part that fails, but no internals. */
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

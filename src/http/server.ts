import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { OpenAnswers } from './answers/open-answers.ts'
import { describeApi } from './answers/openapi.ts'
import { refuseConnection, sendProblem } from './answers/problems.ts'
import type { HttpContext, Server } from './context.ts'
import { type Chapter, declareAll } from './operation.ts'
import { browsing } from './operations/browsing.ts'
import { capturing } from './operations/capturing.ts'
import { documentation } from './operations/documentation.ts'
import { gallery } from './operations/gallery.ts'
import { keys } from './operations/keys.ts'
import { operating } from './operations/operating.ts'
import { downloads, signedPictures } from './operations/pictures.ts'
import { projects } from './operations/projects.ts'
import { roots } from './operations/roots.ts'
import { session } from './operations/session.ts'
import { status } from './operations/status.ts'
import { refuseWhatKeysDoNotOpen, requireKeys } from './rules/authentication.ts'
import { addCommonHeaders } from './rules/common-headers.ts'
import { answerInOrder } from './rules/connections.ts'
import { refuseCrossSite } from './rules/cross-site.ts'
import { limitResponseTime } from './rules/deadline.ts'
import { refuseOtherMethods } from './rules/methods.ts'
import { measureRequests } from './rules/metrics.ts'
import { refuseOtherHosts } from './rules/origin.ts'
import { createRate, limitRate } from './rules/rate-limit.ts'
import { schemaController } from './rules/read-query.ts'
import { logRequests, RequestLog } from './rules/request-log.ts'

/** Bytes of a body that Node reads before somebody reads the body, rounded up to what it reads at a time. */
const READ_AHEAD = 49_152

/** The HTTP server, complete but not listening. `resources`: the operations on everything that projects own. */
export async function createServer(
  context: HttpContext,
  resources: readonly Chapter[],
  logger: FastifyBaseLogger,
): Promise<Server> {
  const { limits } = context.config
  const server: Server = Fastify({
    logger: false,
    logController: new RequestLog(logger),
    genReqId: createRequestIds(),
    requestIdHeader: false,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.idleMs,
    http: {
      // A hook checks the Host header, and answers with a problem.
      requireHostHeader: false,
      headersTimeout: limits.requestMs,
      // Fastify sets it later. By then Node would have refused a longer time for the headers.
      requestTimeout: limits.requestMs,
      // How often Node checks the two limits above. Its default is 30 s.
      connectionsCheckingInterval: Math.min(limits.requestMs, 5_000),
      // Node reads 64 KB at a time. With as much as that, it would read a second time ahead for each body that waits.
      highWaterMark: READ_AHEAD,
    },
    rewriteUrl: pathOrNothing,
    // Longer than any request line that Node accepts, so that an id that is too long is answered 404, not 414.
    routerOptions: { maxParamLength: 65_536 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) => refuseConnection(logger, error, socket as Socket),
    schemaController,
  })
  server.log = logger
  // Unknown expectations are ignored. Node would refuse them with an empty answer.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  // Operations with a body have their own parser. All others ignore the body.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _body, done) => done(null))

  server.setErrorHandler(sendProblem)
  addCommonHeaders(server)
  const connections = answerInOrder(server, context)
  const metrics = measureRequests(connections, context)
  logRequests(server, connections)
  limitResponseTime(server, connections, context)
  server.addHook('preClose', async () => connections.drain())
  refuseOtherHosts(server, context)
  if (context.config.corsOrigins.length > 0) await allowOrigins(server, context.config.corsOrigins)
  const countRequest = createRate(context)
  const refuse = requireKeys(server, context, countRequest)
  refuseCrossSite(server, context)
  limitRate(server, context, countRequest)
  refuseWhatKeysDoNotOpen(server, context)

  refuseOtherMethods(server)
  const openAnswers = new OpenAnswers(server, context)
  const described = await declareAll(server, context, (declareIn) => {
    roots(declareIn('Results'), context)
    projects(declareIn('Browsing'), context)
    browsing(declareIn('Browsing'), context)
    downloads(declareIn('Downloads'), context)
    capturing(declareIn('Capturing'), context)
    for (const { name, declare } of resources) declare(declareIn(name), context)
    keys(declareIn('Access'), context)
    session(declareIn('Access'), context, refuse)
    status(declareIn('Capturing'), context, openAnswers)
    signedPictures(declareIn('Images'), context)
    operating(declareIn('Operating'), context, metrics)
    documentation(declareIn(), server, () => describeApi(described, resources, context))
    gallery(declareIn(), context)
  })
  return server
}

/**
 * The path for routing. In an absolute target, its host replaces the Host header (RFC 9112, 3.2.2). A path that cannot be
 * decoded is replaced by an unknown one: Fastify would answer it before any hook runs, and so without asking for a key.
 */
function pathOrNothing(request: IncomingMessage): string {
  let { url = '/' } = request
  const absolute = url.startsWith('/') ? null : /^https?:\/\/([^/?#]*)(.*)$/i.exec(url)
  if (absolute) {
    request.headers.host = absolute[1] ?? ''
    url = absolute[2] || '/'
  }
  if (!url.includes('%')) return url
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return url
  } catch {
    return '/undecodable'
  }
}

/** Unique ids: a random part for the process, and a number for the request. */
function createRequestIds(): () => string {
  const process_ = randomBytes(9).toString('base64url')
  let requests = 0
  return () => `${process_}-${(requests++).toString(36)}`
}

/** Allows web pages of these origins to read. Call before keys are asked for: a preflight has no key. */
async function allowOrigins(server: Server, origins: readonly string[]): Promise<void> {
  await server.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD'],
    // Any other OPTIONS request is answered like every request: 401 or 405.
    strictPreflight: false,
    preflightContinue: true,
    exposedHeaders: ['etag', 'link', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'],
  })
  server.addHook('onRequest', async ({ method, headers }, reply) => {
    const preflight = method === 'OPTIONS' && headers.origin && headers['access-control-request-method']
    return preflight ? await reply.code(204).send() : undefined
  })
}

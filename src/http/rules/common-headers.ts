import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from '../context.ts'

/** Adds the headers of every answer to those that Fastify sends. Other answers begin with `headersOf`. */
export function addCommonHeaders(server: Server): void {
  // Hooks that wait for nothing are not async: a promise would cost more than the hook itself.
  server.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(commonHeaders(request))
    // An answer with a policy says in it who may show the answer.
    if (reply.hasHeader('content-security-policy')) reply.removeHeader('x-frame-options')
    done(null, payload)
  })
}

/** The headers of an answer that Fastify does not send: those of every answer, and those that were set for this one. */
export function headersOf(request: FastifyRequest, reply: FastifyReply): OutgoingHttpHeaders {
  // Not set before, one by one, with `reply.header`: that takes 1 % of the time of one root.
  return Object.assign(commonHeaders(request), reply.getHeaders() as OutgoingHttpHeaders)
}

function commonHeaders({ id }: FastifyRequest) {
  return {
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    // Other sites cannot show our answers in a frame. A policy would say the same, but costs 3 % of the time of one root.
    'x-frame-options': 'DENY',
  }
}

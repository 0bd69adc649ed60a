import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Accepting } from './requests.ts'

/** Sends text unchanged, except that `\n` becomes a line break of HTTP. */
export async function sendRaw(service: Accepting, head: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(head.replaceAll('\n', '\r\n'))
  return socket
}

export async function readAll(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  if (!socket.closed) await once(socket, 'close')
  return text
}

export const postHead = (service: Accepting, more: string) =>
  `POST /api/projects/${service.projectId} HTTP/1.1\nHost: localhost\nContent-Type: application/json\n${more}\n\n`

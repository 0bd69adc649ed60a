/** The bytes of a request. */
export function toGet(url: string, key?: string): string {
  const { host, pathname, search } = new URL(url)
  return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${authorization(key)}\r\n`
}

export function toPost(url: string, key: string, body: string): string {
  return toSend('POST', url, key, body)
}

export function toSend(method: 'POST' | 'PUT', url: string, key: string, body: string): string {
  const { host, pathname } = new URL(url)
  const length = Buffer.byteLength(body)
  return `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${authorization(key)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
}

function authorization(key: string | undefined): string {
  return key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
}

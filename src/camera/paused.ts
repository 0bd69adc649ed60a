/** A request that waits for an answer. */
export interface Paused {
  readonly requestId: string
  /** The same for a request and all its redirects. Of a document, it is also the id of its loader. */
  readonly networkId?: string
  readonly resourceType: string
  readonly frameId: string
  readonly request: {
    readonly url: string
    readonly urlFragment?: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
  }
}

/** The address, or the origin, of the document that sends a request. `null`: it does not say. */
export function senderOf({ request: { headers } }: Paused): string {
  return headers['Referer'] ?? headers['Origin'] ?? 'null'
}

export function idOf({ networkId, requestId }: Paused): string {
  return networkId ?? requestId
}

export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? ''
}

/** Without what is not sent, and without a user name. */
export function withoutHash(address: string): string {
  const url = URL.parse(address)
  if (!url) return address
  url.hash = url.username = url.password = ''
  return url.href
}

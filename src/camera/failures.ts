import type { CaptureReason } from '../contract/status.ts'
import type { Gate } from '../egress/guard.ts'
import { CaptureFailure } from './camera.ts'

/** Chromium's error codes, for failures that the guard does not know. */
const NET_ERRORS: readonly [RegExp, CaptureReason, string][] = [
  [/ERR_NAME_NOT_RESOLVED/, 'dns', 'its host name was not found'],
  [/ERR_CONNECTION_REFUSED/, 'refused', 'its server refused the connection'],
  [/ERR_TOO_MANY_REDIRECTS/, 'redirects', 'it was redirected too often'],
  [/ERR_(CERT|SSL|BAD_SSL|QUIC)_/, 'tls', 'its certificate or encryption is not valid'],
  [/ERR_(CONNECTION_)?TIMED_OUT/, 'timeout', 'its server did not answer in time'],
  [
    /ERR_(UNSAFE_PORT|DISALLOWED_URL_SCHEME|UNKNOWN_URL_SCHEME|BLOCKED_BY)/,
    'blocked',
    'pages may not reach it',
  ],
  [/ERR_CONTENT_DECODING_FAILED/, 'unreachable', 'its server sent a page that cannot be decoded'],
  [
    /ERR_(CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING)/,
    'unreachable',
    'its server ended the connection before anything of the page came',
  ],
  [/ERR_/, 'unreachable', 'its server did not answer as a web server does'],
]

/** Why a page did not come. `error` is the browser's error, `url` the last address it asked for. */
export function navigationFailure(error: unknown, url: string, gate: Gate): CaptureFailure {
  const seen = gate.failureOf(url)
  if (seen) return new CaptureFailure(seen.reason, seen.detail)
  const message = (error as Error).message ?? ''
  if (/Download is starting/.test(message)) {
    return new CaptureFailure('download', `${hostOf(url)} sent a file to download, not a page.`)
  }
  const [code] = /ERR_\w+/.exec(message) ?? []
  for (const [pattern, reason, words] of NET_ERRORS) {
    if (pattern.test(message)) return new CaptureFailure(reason, `${hostOf(url)}: ${words} (${code}).`)
  }
  return new CaptureFailure('unreachable', `${hostOf(url)}: the page did not come.`)
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'The page'
}

import { resolve } from 'node:path'
import type { BucketLocation } from '../images/s3/location.ts'
import { httpAddress } from './values.ts'

// DATABASE_URL and IMAGES_URL. Each parser throws an Error whose message completes "NAME …".

export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

export type ImagesLocation = { readonly kind: 'folder'; readonly path: string } | S3Location

type S3Location = { readonly kind: 's3' } & BucketLocation

export function databaseLocation(text: string): DatabaseLocation {
  if (/^postgres(ql)?:/.test(text)) return postgresLocation(text)
  if (!text.startsWith('sqlite:')) throw new Error('must begin with sqlite: or postgres:')
  return { kind: 'sqlite', path: pathOf(text, 'sqlite') }
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify']

function postgresLocation(text: string): DatabaseLocation {
  const url = text.replace('@/', '@host/')
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(url)) {
    throw new Error('must be postgres://user:password@host:port/database')
  }
  const sslmode = new URL(url).searchParams.get('sslmode')
  if (sslmode !== null && !SSL_MODES.includes(sslmode)) {
    // With `prefer` and `allow` an attacker in between could switch off encryption.
    throw new Error(`must have an sslmode of ${SSL_MODES.join(', ')}, not ${sslmode}`)
  }
  return { kind: 'postgres', url: text }
}

export function imagesLocation(text: string): ImagesLocation {
  if (text.startsWith('s3:')) return s3Location(text)
  if (!text.startsWith('file:')) throw new Error('must begin with file: or s3:')
  return { kind: 'folder', path: pathOf(text, 'file') }
}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/
/** No pseudo-regions (aws-global, fips-…): the real name of the region is signed. */
const REGION = /^(?!aws-global$|fips-)[a-z0-9-]+(?<!-fips)$/
const S3_PARAMETERS = ['endpoint', 'region', 'style']

/** `s3://bucket/prefix?endpoint=https://…&region=…&style=path` */
function s3Location(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !text.startsWith('s3://') || url.hash || url.port || !BUCKET.test(url.hostname)) {
    throw new Error('must be s3://bucket, s3://bucket/prefix or s3://bucket?endpoint=https://…&region=…')
  }
  if (url.username || url.password) {
    throw new Error('must not contain credentials: they come from AWS_ACCESS_KEY_ID, a profile or a role')
  }
  const unknown = [...url.searchParams.keys()].filter((name) => !S3_PARAMETERS.includes(name))
  if (unknown.length > 0) {
    throw new Error(`takes ${S3_PARAMETERS.join(', ')} after the question mark, not ${unknown.join(', ')}`)
  }
  if (url.hostname.endsWith('--x-s3'))
    throw new Error('must name a general purpose bucket, not a directory bucket')
  const region = url.searchParams.get('region') || undefined
  if (region !== undefined && !REGION.test(region))
    throw new Error('must name a region such as eu-central-1 or auto')
  const endpoint = url.searchParams.get('endpoint') || undefined
  const style = url.searchParams.get('style') ?? (endpoint === undefined ? 'virtual' : 'path')
  if (style !== 'path' && style !== 'virtual') throw new Error('must have style=path or style=virtual')
  const prefix = decode(url.pathname)?.replace(/^\/+|\/+$/g, '')
  if (prefix === undefined || /\/\/|(^|\/)\.{1,2}(\/|$)/.test(prefix)) {
    throw new Error('must have a plain prefix after the bucket')
  }
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: prefix && `${prefix}/`,
    endpoint: endpoint && within('endpoint', () => httpAddress(endpoint)),
    region,
    style,
  }
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function within<T>(part: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new Error(`has an ${part} that ${(error as Error).message}`)
  }
}

/** `sqlite:data/x.db`, `sqlite:///var/x.db`: everything after the scheme is the path. Nothing is decoded. */
function pathOf(text: string, scheme: string): string {
  const rest = text.slice(scheme.length + 1)
  const path = rest.startsWith('//') ? rest.slice(2) : rest
  if (
    path === '' ||
    path.startsWith(':') ||
    /[?#\0]/.test(path) ||
    (path !== rest && !path.startsWith('/'))
  ) {
    throw new Error(`must be ${scheme}:relative/path or ${scheme}:///absolute/path, without ? and #`)
  }
  return resolve(path)
}

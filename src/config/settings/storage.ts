import { resolve } from 'node:path'
import { databaseLocation, imagesLocation } from '../locations.ts'
import { httpOrigin } from '../values.ts'
import { choice, number, type Settings, time } from './setting.ts'

/** Where everything is stored. */
export const storage = {
  DATA_DIR: {
    type: 'path',
    default: './data',
    example: '/var/lib/proofsheet',
    help: 'The folder for everything that has no other setting.',
    parse: (text: string) => resolve(text),
  },
  DATABASE_URL: {
    type: 'URL',
    default: { words: '`sqlite:` in `DATA_DIR`' },
    example: 'postgres://proofsheet@db.internal/proofsheet',
    help: 'Where projects, roots, jobs and keys are stored: `sqlite:path` or `postgres://…`, with its TLS parameters.',
    parse: databaseLocation,
  },
  DATABASE_POOL: {
    ...number(1, 1_000),
    default: '10',
    example: '30',
    help: 'PostgreSQL: the most connections of one process.',
  },
  DATABASE_WAIT: {
    ...time('10ms', '5m'),
    default: '3s',
    example: '500ms',
    help: 'PostgreSQL: how long a request waits for a connection before it is answered with 503.',
  },
  DATABASE_TIMEOUT: {
    ...time('10ms', '1h'),
    default: '10s',
    example: '2s',
    help: 'PostgreSQL: how long one statement may take before it is cancelled and the request is answered with 503.',
  },
  IMAGES_URL: {
    type: 'URL',
    default: { words: '`file:` in `DATA_DIR`' },
    example: 's3://shots?region=eu-central-1',
    help: 'Where pictures are stored: `file:path` or `s3://bucket/prefix?endpoint=…&region=…&style=path` (or `virtual`).',
    parse: imagesLocation,
  },
  IMAGES_TIMEOUT: {
    ...time('10ms', '15m'),
    default: '30s',
    example: '10s',
    help: 'S3: how long one request may take, with its retries. Uploads may take longer, by their size.',
  },
  IMAGES_PUBLIC_URL: {
    type: 'URL',
    default: { words: "the bucket's own" },
    example: 'https://cdn.example.com',
    help: 'S3: the host in the URLs of pictures, if a CDN or a proxy is in front of the bucket.',
    parse: httpOrigin,
  },
  IMAGES_SIGNED_HOST: {
    ...choice('bucket', 'public'),
    default: 'bucket',
    example: 'public',
    help: 'S3: the host in the signature. `bucket` if a CDN calls the bucket by the bucket’s own name, `public` if a proxy passes on the public host.',
  },
} satisfies Settings

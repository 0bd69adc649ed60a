import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { NotificationTimes } from '../../../src/service/notifications.ts'
import { openService } from '../../../src/service/service.ts'
import { openStorage, type Storage } from '../../../src/service/storage.ts'
import { makeFolder } from '../processes/workspace.ts'
import { placeTables } from '../store/place-tables.ts'

export interface TestService extends Storage {
  readonly url: string
  readonly dataDir: string
  /** The environment that was given. */
  readonly databaseUrl: string
  readonly logLines: string[]
  /** Moved by tests; starts at a fixed instant. */
  now: number
  get(path: string, headers?: Record<string, string>): Promise<Response>
  stop(): Promise<void>
}

/** 2026-03-01T06:00:00Z: the middle of a twelve-hour window. */
export const INSTANT = Date.UTC(2026, 2, 1, 6)

/** The whole service on a free port of 127.0.0.1 and a folder of its own, with a clock that tests move. */
export async function startService(
  env: Record<string, string> = {},
  { delivering }: { delivering?: NotificationTimes } = {},
): Promise<TestService> {
  const dataDir = env['DATA_DIR'] ?? join(await makeFolder(), 'data')
  if (!env['DATA_DIR'] && !env['DATABASE_URL']) await placeTables(join(dataDir, 'proofsheet.db'))
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'debug',
    SHUTDOWN_TIMEOUT: '2s',
    ...env,
  })
  const storage = await openStorage(config)
  const logLines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logLines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: config.logLevel }, sink)
  const test = { now: INSTANT }
  const service = await openService(config, storage, { log, clock: () => test.now, delivering })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= service.close().then(storage.close)
    return stopped
  }
  onTestFinished(stop)
  const url = service.url
  return Object.assign(test, {
    ...storage,
    url,
    dataDir,
    databaseUrl: env['DATABASE_URL'] ?? '',
    logLines,
    get: (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, url), { headers }),
    stop,
  })
}

import { availableParallelism } from 'node:os'
import type { Logger } from 'pino'
import { type Config, ownHostsOf } from '../config/config.ts'
import type { FixedAddress } from '../egress/guard.ts'
import type { FoundBrowser } from './browser/browser.ts'
import type { Camera } from './camera.ts'

export interface CameraSetup {
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Names with a fixed address, whatever DNS says. */
  readonly fixedAddresses?: ReadonlyMap<string, FixedAddress> | undefined
}

export async function openCamera(config: Config, { log, fixedAddresses }: CameraSetup): Promise<Camera> {
  const { capture, limits } = config
  const [{ createCamera }, { createGuard }, { getBrowsers }] = await Promise.all([
    import('./chromium.ts'),
    import('../egress/guard.ts'),
    import('./browser/find-browser.ts'),
  ])
  return createCamera({
    find: () => getBrowsers(capture),
    guard: createGuard({
      ...capture,
      ownHosts: ownHostsOf(config),
      ...(fixedAddresses && { fixedAddresses }),
    }),
    concurrency: capture.concurrency || availableParallelism(),
    limits: {
      height: limits.viewportHeight,
      pixels: limits.picturePixels,
      bytes: limits.captureBytes,
      pageBytes: limits.pageBytes,
    },
    log,
  })
}

/** Throws AppError `no_browser`. */
export async function firstBrowser({ capture }: Config): Promise<FoundBrowser> {
  const { findBrowser } = await import('./browser/find-browser.ts')
  return await findBrowser(capture)
}

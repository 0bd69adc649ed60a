import type { Logger } from 'pino'
import { countDemo, fillDemo, startDemo } from '../../demo/demo.ts'
import { serveSite } from '../../demo/site.ts'
import { DEMO_PROJECT_ID } from '../../demo/visits.ts'
import { AppError } from '../../errors.ts'
import type { Service } from '../../service/service.ts'
import type { Storage } from '../../service/storage.ts'
import { counted, print } from '../say.ts'

/** The demo of a running service. Undefined if there is no demo project. With `make`, an empty store gets one. */
export async function openDemo({ store, images }: Storage, { log, make }: { log: Logger; make: boolean }) {
  if (make) await startDemo(store, Date.now())
  if (!(await store.findProject(DEMO_PROJECT_ID))) return undefined
  const site = await serveSite()
  const stopping = new AbortController()
  const { signal } = stopping
  let isBegun = false

  const fill = async (capturing: Service['capturing']): Promise<void> => {
    const intake = { store, images, clock: Date.now }
    const isCapturing = await fillDemo(intake, signal, async (request, rootId) => {
      // Other workers cannot reach the site.
      if (!(await capturing.findBrowser())) throw new AppError('no_browser', 'this process captures nothing')
      await capturing.ready().catch((error) => {
        if (error instanceof AppError) print(error.message)
        throw error
      })
      signal.throwIfAborted()
      const options = { now: Date.now(), idempotencyKey: undefined, rootId }
      await capturing.requests.accept(DEMO_PROJECT_ID, request, options)
    })
    if (isCapturing) {
      print('Pages of a made-up site are being captured right now: watch them arrive in the gallery.')
    }
  }

  return {
    fixedAddresses: site.fixedAddresses,
    fill(capturing: Service['capturing']): void {
      isBegun = true
      fill(capturing).catch((error) => {
        if (!signal.aborted) log.error({ err: error }, 'the demo is not complete')
      })
    },
    /** Waits for nothing: a browser that hangs while it starts must not delay the stop. The next start continues. */
    stop: () => stopping.abort(),
    /** A sentence if the demo is not complete yet. Else empty. */
    async describeRest(dataDir: string): Promise<string> {
      const { roots, pictures, whole } = await countDemo(store)
      if (!isBegun || whole) return ''
      return (
        `Stopped before the demo was complete. ${counted(roots, 'root')} with ${counted(pictures, 'picture')} ` +
        `kept in ${dataDir}; the next npm start continues.`
      )
    },
    close: () => site.close(),
  }
}

import type { RootStatus } from '../../contract/status.ts'
import type { Order } from './orders.ts'

/** Captures pages: on a server, or in this process. */
export interface CaptureDesk {
  readonly projectId: string
  submit(order: Order): Promise<string>
  /** The status at every change, until the root is finished. */
  follow(rootId: string, signal: AbortSignal): AsyncGenerator<RootStatus>
  /** The bytes of a picture. */
  readPicture(rootId: string, uuid: string): Promise<AsyncIterable<Uint8Array>>
  /** The address of the gallery. */
  readonly gallery: string
  /** The gallery may not be running. */
  readonly mayNotRun: boolean
}

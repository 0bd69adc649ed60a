import type { ScreenshotRequest } from '../../contract/screenshot-request.ts'
import type { RootStatus } from '../../contract/status.ts'

/** Captures pages: on a server, or in this process. */
export interface CaptureDesk {
  submit(request: ScreenshotRequest): Promise<string>
  /** The status at every change, until the root is finished. */
  follow(rootId: string, signal: AbortSignal): AsyncGenerator<RootStatus>
  /** The bytes of a picture. */
  readPicture(rootId: string, uuid: string): Promise<AsyncIterable<Uint8Array>>
}

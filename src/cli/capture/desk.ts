import type { ScreenshotRequest } from '../../contract/screenshot-request.ts'
import type { RootStatus } from '../../contract/status.ts'

/** Where pages are captured: a server, or this process with the storage of the settings. */
export interface CaptureDesk {
  submit(request: ScreenshotRequest): Promise<string>
  /** The status, whenever something happened, to the end. */
  follow(rootId: string, signal: AbortSignal): AsyncGenerator<RootStatus>
  /** The bytes of a result. */
  readPicture(rootId: string, uuid: string): Promise<AsyncIterable<Uint8Array>>
}

import { createClient, isFinal, type RootStatus, type ScreenshotRequest } from '../../../src/client/client.ts'

/** Requests screenshots of one project, with the client that programs use. */
export function askFor(server: string, projectId: string) {
  const client = createClient({ server })
  const status = (rootId: string, wait = 0) => client.getStatus(projectId, rootId, { wait })
  return {
    async post(
      urls: ScreenshotRequest['urls'],
      parameter: Partial<ScreenshotRequest['screenshotParameter']> = {},
    ): Promise<string> {
      const screenshotParameter = { width: 1200, height: 720, ...parameter }
      return (await client.requestScreenshots(projectId, { screenshotParameter, urls })).jobId
    },
    status,
    /** Waits until the root is finished. */
    async finished(rootId: string): Promise<RootStatus> {
      for (;;) {
        const now = await status(rootId, 30)
        if (isFinal(now.state)) return now
      }
    },
    root: (rootId: string) => client.getRoot(projectId, rootId),
  }
}

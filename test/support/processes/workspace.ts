import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test. It is removed after the test, but kept for inspection if the test has failed. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-test-'))
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`kept for inspection: ${folder}\n`)
    else await rm(folder, { recursive: true, force: true })
  })
  return folder
}

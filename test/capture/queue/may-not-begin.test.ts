import { expect, test } from 'vitest'
import { makeFolder } from '../../support/processes/workspace.ts'
import { PATIENCE_MS } from '../../support/runner/patience.ts'
import { makeProject } from '../../support/store/results.ts'
import { openProcess } from './open-process.ts'

test('nothing begins while there is a reason not to, and then the queue continues by itself', async () => {
  let asked = 0
  let reason: string | undefined = 'full'
  const mayNotBegin = async () => {
    asked++
    return reason
  }
  const { store, captures, ask } = await openProcess({ DATA_DIR: await makeFolder() }, { mayNotBegin })
  const { projectId, rootId } = await ask(await makeProject(store), { pages: 2 })
  await expect.poll(() => asked, { timeout: PATIENCE_MS }).toBeGreaterThan(1)
  const before = await captures.findProgress(projectId, rootId)
  expect(before?.captures.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['queued', 0],
    ['queued', 0],
  ])
  reason = undefined
  await expect.poll(() => captures.anyUnfinished(), { timeout: PATIENCE_MS }).toBe(false)
})

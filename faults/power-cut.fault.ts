import { expect, test } from 'vitest'
import { tell } from './outcome.ts'
import { cutOften, record, whyNotRecorded } from './power/power-cuts.ts'

const ROUNDS = 25
const CUTS = 120
const CUTS_WITHOUT_SYNC = 20

test('a power cut during imports and captures', async ({ task, skip }) => {
  const reason = whyNotRecorded()
  if (reason) skip(reason)
  const recording = await record(ROUNDS)
  const { dropped, torn, ...found } = await cutOften(recording, CUTS, true)
  const without = await cutOften(recording, CUTS_WITHOUT_SYNC, false)
  tell(task, {
    world: 'SQLite and a folder',
    times: CUTS,
    ...found,
    note:
      `${dropped.toLocaleString('en')} unsynced writes dropped, ${torn.toLocaleString('en')} torn; control without fsync: ` +
      `${without.lost.toLocaleString('en')} of ${without.acknowledged.toLocaleString('en')} lost in ${CUTS_WITHOUT_SYNC} cuts`,
  })
  expect(dropped).toBeGreaterThan(0)
  expect(torn).toBeGreaterThan(0)
  // Otherwise nothing was cut.
  expect(without.lost).toBeGreaterThan(0)
})

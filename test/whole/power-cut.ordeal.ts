import { expect, test } from 'vitest'
import { cutOften, record, whyNotRecorded } from '../../faults/power/power-cuts.ts'

test('a power cut loses nothing acknowledged, and every row has its picture', async ({ skip }) => {
  const reason = whyNotRecorded()
  if (reason) skip(reason)
  const recording = await record(4)
  expect(await cutOften(recording, 8, true)).toMatchObject({ lost: 0, dangling: 0 })
  // A disk that only pretends to sync loses something: otherwise nothing was cut.
  // Cuts are at random: eight of them may lose nothing.
  let lost = 0
  for (let tries = 0; lost === 0 && tries < 6; tries++) lost = (await cutOften(recording, 8, false)).lost
  expect(lost).toBeGreaterThan(0)
})

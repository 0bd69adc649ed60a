import { expect, test } from 'vitest'
import type { Stage } from '../../src/camera/steps/stage.ts'
import { notesOf } from '../../src/camera/steps/steps.ts'

test('a picture is taken even if the page does not answer whether everything was hidden', async () => {
  const ask = () => new Promise<never>(() => {})
  const stage = { world: { ask }, notes: [], wanted: { options: { hide: ['.chat'] } } } as unknown as Stage
  expect(await notesOf(stage)).toEqual([
    {
      note: 'hide',
      detail: expect.stringContaining('did not answer when it was asked whether everything was hidden'),
    },
  ])
})

import { expect, test } from 'vitest'
import { createPixelRoom } from '../../src/camera/room.ts'

test('what fits is taken at once, in the order it came, and what is too large for the room is alone', async () => {
  const inRoom = createPixelRoom(10)
  const events: string[] = []
  const ends: (() => void)[] = []
  const begin = (name: string, pixels: number) =>
    inRoom(pixels, async () => {
      events.push(name)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const all = [begin('6', 6), begin('4', 4), begin('90', 90), begin('1', 1)]
  await settled()
  expect(events).toEqual(['6', '4'])
  ends[0]?.()
  await settled()
  // The small one would fit, and waits for its turn.
  expect(events).toEqual(['6', '4'])
  ends[1]?.()
  await settled()
  expect(events).toEqual(['6', '4', '90'])
  ends[2]?.()
  await settled()
  expect(events).toEqual(['6', '4', '90', '1'])
  ends[3]?.()
  await Promise.all(all)
})

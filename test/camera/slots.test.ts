import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSlots } from '../../src/camera/chromium.ts'

/** Two slots. Tasks are named by their owner and a number, and end when the test says so. */
function newPlaces() {
  const inSlot = createSlots(2)
  const inside: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  return {
    inside,
    enter(name: string) {
      return inSlot(name[0] ?? '', async () => {
        inside.push(name)
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        ends.set(name, (error) => (error ? reject(error) : resolve()))
        await promise.finally(() => inside.splice(inside.indexOf(name), 1))
      })
    },
    async end(name: string, error?: Error) {
      ends.get(name)?.(error)
      for (let turn = 0; turn < 3; turn++) await nextTurn()
    },
  }
}

test('an owner has its slots and no more; each other owner has one extra slot', async () => {
  const { inside, enter } = newPlaces()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1']) void enter(name)
  expect(inside).toEqual(['a1', 'a2', 'b1', 'c1'])
})

test('when a task ends, the first waiting task that may start is started', async () => {
  const { inside, enter, end } = newPlaces()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1']) void enter(name)
  // The extra slots are taken: A must wait until they are free.
  await end('a1')
  expect(inside).toEqual(['a2', 'b1', 'c1', 'd1'])
  await end('b1')
  expect(inside).toEqual(['a2', 'c1', 'd1', 'b2'])
  for (const name of ['c1', 'd1', 'b2']) await end(name)
  expect(inside).toEqual(['a2', 'a3'])
})

test('an owner without a running task is admitted beside the first in line', async () => {
  const { inside, enter, end } = newPlaces()
  for (const name of ['a1', 'b1', 'b2', 'a2', 'a3']) void enter(name)
  await end('a1')
  expect(inside).toEqual(['b1', 'b2', 'a2'])
})

test('a task that fails frees its slot', async () => {
  const { inside, enter, end } = newPlaces()
  const failing = expect(enter('a1')).rejects.toThrow('no')
  for (const name of ['a2', 'a3']) void enter(name)
  await end('a1', new Error('no'))
  await failing
  expect(inside).toEqual(['a2', 'a3'])
})

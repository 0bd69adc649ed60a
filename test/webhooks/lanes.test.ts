import { expect, test } from 'vitest'
import { type Aim, Lanes, type Lesson } from '../../src/webhooks/lanes.ts'

function open() {
  const time = { now: 0 }
  const lanes = new Lanes(() => time.now)
  const aim = (projectId: string, receiver: string, isFailing = false): Aim => ({
    projectId,
    receiver,
    isFailing,
  })
  /** Begins all attempts that are allowed. */
  const fill = (one: Aim): ((lesson: Lesson) => void)[] => {
    const begun: ((lesson: Lesson) => void)[] = []
    while (lanes.roomFor(one) > 0) begun.push(lanes.begin(one))
    return begun
  }
  const prove = (one: Aim) => {
    for (let attempt = 0; attempt < 30; attempt++) for (const over of fill(one)) over('well')
  }
  return { time, lanes, aim, fill, prove }
}

test('a receiver gets more attempts at a time after each success, and one after a failure', () => {
  const { aim, fill, prove } = open()
  const mine = aim('p', 'a:443')
  expect(fill(mine).map((over) => over('well'))).toHaveLength(1)
  expect(fill(mine).map((over) => over('well'))).toHaveLength(2)
  prove(mine)
  const many = fill(mine)
  expect(many).toHaveLength(24)
  for (const over of many) over('failed')
  expect(fill(mine)).toHaveLength(1)
})

test('a project cannot hold all slots, with known receivers or new ones', () => {
  const { time, aim, fill, prove } = open()
  const receivers = Array.from({ length: 20 }, (_, index) => aim('greedy', `${index}:443`))
  expect(receivers.flatMap(fill)).toHaveLength(2)
  const others = Array.from({ length: 20 }, (_, index) => aim('large', `${index}:443`))
  time.now += 1_000
  for (const each of others) prove(each)
  expect(others.flatMap(fill)).toHaveLength(32)
  expect(fill(aim('third', 'x:443'))).toHaveLength(1)
})

test('a project has fewer slots while another one sends, too', () => {
  const { time, aim, fill, prove } = open()
  const [mine, yours] = [aim('mine', 'a:443'), aim('yours', 'b:443')]
  prove(mine)
  prove(yours)
  const [first] = fill(yours)
  expect(fill(mine)).toHaveLength(8)
  first?.('well')
  time.now += 1_000
  expect(fill(mine)).toHaveLength(16)
})

test('a project without attempts under way finds a slot while many others hang', () => {
  const { time, aim, fill, prove, lanes } = open()
  const known = aim('known', 'x:443')
  prove(known)
  const hanging = Array.from({ length: 20 }, (_, project) => aim(`hanging ${project}`, 'h:443'))
  expect(hanging.flatMap(fill)).toHaveLength(20)
  expect(fill(known).length).toBeGreaterThan(0)
  expect(fill(aim('new', 'y:443'))).toHaveLength(1)
  // If all slots are taken, that lasts only until the attempts count as slow.
  for (let project = 0; project < 100; project++) fill(aim(`more ${project}`, 'h:443'))
  expect(lanes.roomFor(aim('late', 'z:443'))).toBe(0)
  time.now += 3_001
  expect(lanes.roomFor(aim('late', 'z:443'))).toBe(1)
})

test('a slow receiver stays known as slow when its webhook is created again, but only in its project', () => {
  const { time, aim, fill, lanes } = open()
  for (const projectId of ['mine', 'other']) fill(aim(projectId, 'w:443')).map((over) => over('well'))
  const mine = aim('mine', 'h:443')
  const [over] = fill(mine)
  time.now += 4_000
  over?.('failed')
  expect(lanes.inTurns([mine, aim('mine', 'w:443')])).toEqual([aim('mine', 'w:443'), mine])
  const beside = aim('other', 'h:443')
  expect(lanes.inTurns([beside, aim('other', 'w:443')])).toEqual([beside, aim('other', 'w:443')])
})

test('projects take turns, however many webhooks they have', () => {
  const { aim, lanes } = open()
  lanes.begin(aim('a', 'x:1'))
  const due = [...['1', '2', '3'].map((host) => aim('a', host)), aim('b', '1'), aim('c', '1')]
  const names = lanes.inTurns(due).map(({ projectId }) => projectId)
  expect(names).toEqual(['b', 'c', 'a', 'a', 'a'])
})

test('failing and slow receivers share places beside the slots', () => {
  const { aim, fill } = open()
  const failing = (project: number) =>
    Array.from({ length: 20 }, (_, index) => aim(`${project}`, `${index}:443`, true))
  expect(failing(0).flatMap(fill)).toHaveLength(4)
  const all = Array.from({ length: 20 }, (_, project) => failing(project + 1).flatMap(fill).length)
  expect(all.reduce((sum, count) => sum + count, 0)).toBe(28)
  expect(fill(aim('well', 'x:443'))).toHaveLength(1)
})

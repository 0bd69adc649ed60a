import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Attempt, type CaptureTask, SUSPECT_DEATHS } from '../../src/store/captures.ts'
import type { Store } from '../../src/store/store.ts'
import { answersAbout, FAILURE, newRequest, PICTURE, takeAll } from '../support/store/captures.ts'
import { AHEAD, type Begun, capturesOf, DIED, first, LEASE, NOW } from './open-captures.ts'
import type { StoreDriver } from './store-driver.ts'

/** Who may work on a page, and who may end its capture. */
export function attemptsSuite(name: string, driver: StoreDriver): void {
  const { open, begun } = capturesOf(driver)

  const takeOver = async ({ captures }: Store, old: Attempt): Promise<CaptureTask> => {
    await captures.putBack(old, DIED)
    return (await captures.takeNext({ ...LEASE, rootId: old.rootId })) as CaptureTask
  }

  describe(`${name}: attempts`, () => {
    test('a running capture cannot be taken by others, whatever the clock says, until it is put back', async () => {
      const { captures, projectId } = await open()
      await captures.accept(newRequest(projectId))
      const task = (await captures.takeNext(LEASE)) as CaptureTask
      for (const ahead of [-7_200_000, 20_001, 7_200_000, 691_200_000])
        expect(await captures.takeNext({ ...LEASE, now: NOW + ahead })).toBeUndefined()
      expect(await captures.putBack(task, DIED)).toBe(true)
      const next = await captures.takeNext(LEASE)
      // It was no fault of the page.
      expect(next).toMatchObject({ position: task.position, attempts: 1, deaths: 1 })
      expect(next?.uuid).not.toBe(task.uuid)
    })

    test('running captures are listed, and renewing changes their lease', async () => {
      const { captures, projectId, rootId, tasks } = await begun(2)
      const [one, other] = tasks as [CaptureTask, CaptureTask]
      const underWay = async () => (await captures.findUnderWay()).toSorted((a, b) => a.position - b.position)
      const of = ({ uuid, position }: CaptureTask, lease: number) => {
        return { projectId, rootId, position, uuid, lease, deaths: 0 }
      }
      expect(await underWay()).toEqual([of(one, NOW + 20_000), of(other, NOW + 20_000)])
      expect(await captures.renew(one, NOW + 50_000)).toBe(true)
      expect(await underWay()).toEqual([of(one, NOW + 50_000), of(other, NOW + 20_000)])
      await captures.finish(one, PICTURE, NOW)
      await captures.putBack(other, { now: NOW, due: 0, counts: true })
      expect(await underWay()).toEqual([])
    })

    test('a page during which many processes died is only given to a caller that asks for such pages', async () => {
      const { store, captures, tasks } = await begun(2)
      let task = first(tasks)
      for (let deaths = 1; deaths < SUSPECT_DEATHS; deaths++) {
        await captures.putBack(task, DIED)
        expect(await captures.anySuspect(NOW)).toBe(false)
        expect(await captures.takeNext({ ...LEASE, suspects: true })).toBeUndefined()
        task = (await captures.takeNext(LEASE)) as CaptureTask
        expect(task).toMatchObject({ position: 0, attempts: 1, deaths })
      }
      await captures.putBack(task, { ...DIED, due: NOW + 5 })
      expect(await captures.anySuspect(NOW + 4)).toBe(false)
      expect(await captures.anySuspect(NOW + 5)).toBe(true)
      const later = { ...LEASE, now: NOW + 5 }
      expect(await takeAll(store, later)).toEqual([])
      expect(await captures.takeNext({ ...later, rootId: task.rootId })).toBeUndefined()
      const suspect = await captures.takeNext({ ...later, suspects: true })
      expect(suspect).toMatchObject({ position: 0, attempts: 1, deaths: SUSPECT_DEATHS })
      expect(await captures.anySuspect(NOW + 5)).toBe(false)
    })

    test.each([
      ['put back', 66_000, async ({ captures, tasks }: Begun) => captures.putBack(first(tasks), AHEAD)],
      [
        'held',
        661_000,
        async ({ captures, projectId }: Begun) =>
          captures.accept(newRequest(projectId, { heldUntil: AHEAD.due })),
      ],
    ])('a capture that was %s by a clock ahead does not wait for that time', async (_, bound, put) => {
      const opened = await begun(1)
      await put(opened)
      const { captures } = opened
      expect(await captures.takeNext({ ...LEASE, now: AHEAD.due - bound + 2_000 })).toBeUndefined()
      expect(await captures.takeNext({ ...LEASE, now: AHEAD.due - bound - 2_000 })).toBeDefined()
    })

    test('a capture that was put back is due at the given time, and not before', async () => {
      const { captures, projectId, rootId, tasks } = await begun(1)
      await captures.putBack(first(tasks), { now: NOW, due: NOW + 7, counts: true })
      expect((await captures.findProgress(projectId, rootId))?.captures).toMatchObject([
        { state: 'queued', attempts: 1, started: undefined, uuid: undefined },
      ])
      expect(await captures.takeNext({ ...LEASE, now: NOW + 6 })).toBeUndefined()
      expect(await captures.takeNext({ ...LEASE, now: NOW + 7 })).toMatchObject({ attempts: 2 })
    })

    test('an attempt that does not count leaves the number of attempts unchanged', async () => {
      const { captures, projectId, rootId, tasks } = await begun(1)
      await captures.putBack(first(tasks), { now: NOW, due: 0, counts: false })
      expect((await captures.findProgress(projectId, rootId))?.captures).toMatchObject([
        { state: 'queued', attempts: 0 },
      ])
      expect(await captures.takeNext(LEASE)).toMatchObject({ attempts: 1 })
    })

    test.each([true, false])(
      'a capture that was put back is not due early for a caller that names its root (counted: %s)',
      async (counts) => {
        const { captures, rootId, tasks } = await begun(1)
        await captures.putBack(first(tasks), { now: NOW, due: NOW + 7, counts })
        expect(await captures.takeNext({ ...LEASE, now: NOW + 6, rootId })).toBeUndefined()
        expect(await captures.takeNext({ ...LEASE, now: NOW + 7, rootId })).toBeDefined()
      },
    )

    test.each([
      ['took over', takeOver],
      [
        'took over and ended it',
        async (store: Store, old: Attempt) =>
          expect(await store.captures.finish(await takeOver(store, old), PICTURE, NOW)).toBe(true),
      ],
      [
        'took over and failed',
        async (store: Store, old: Attempt) =>
          expect(await store.captures.finish(await takeOver(store, old), FAILURE, NOW)).toBe(true),
      ],
      [
        'put it back',
        (store: Store, old: Attempt) => store.captures.putBack(old, { now: NOW, due: 0, counts: true }),
      ],
      [
        'put it back without counting it',
        (store: Store, old: Attempt) => store.captures.putBack(old, { now: NOW, due: 0, counts: false }),
      ],
    ])('after another attempt %s, the earlier one changes nothing, whatever it does', async (_, another) => {
      const { store, captures, projectId, rootId, tasks } = await begun(2)
      const old = first(tasks)
      await another(store, old)
      const before = await answersAbout(store, projectId, rootId)
      const underWay = await captures.findUnderWay()
      expect(await captures.finish(old, PICTURE, NOW + 1)).toBe(false)
      expect(await captures.finish(old, FAILURE, NOW + 1)).toBe(false)
      expect(await captures.renew(old, NOW + 99_999)).toBe(false)
      for (const counts of [true, false])
        expect(await captures.putBack(old, { now: NOW, due: NOW + 9_999, counts })).toBe(false)
      expect(await captures.putBack(old, DIED)).toBe(false)
      expect(await answersAbout(store, projectId, rootId)).toEqual(before)
      // The lease and the due time of the other attempt are unchanged, too.
      expect(await captures.findUnderWay()).toEqual(underWay)
      const queued = before.progress?.captures[0]?.state === 'queued'
      expect((await captures.takeNext({ ...LEASE, rootId }))?.position).toBe(queued ? 0 : undefined)
    })

    test('an attempt that never existed ends nothing', async () => {
      const { store, captures, projectId, rootId, tasks } = await begun(2)
      const before = await answersAbout(store, projectId, rootId)
      const [one, other] = tasks as [CaptureTask, CaptureTask]
      for (const wrong of [
        { ...one, uuid: randomUUID() },
        { ...one, uuid: other.uuid },
        { ...one, position: 7 },
        { ...one, projectId: randomUUID() },
      ]) {
        expect(await captures.finish(wrong, PICTURE, NOW)).toBe(false)
        expect(await captures.renew(wrong, NOW)).toBe(false)
        await captures.putBack(wrong, { now: NOW, due: 0, counts: true })
      }
      expect(await answersAbout(store, projectId, rootId)).toEqual(before)
    })
  })
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Listing } from '../../gallery/src/listing.ts'
import { runsOut } from '../../gallery/src/runs-out.ts'

interface Item {
  readonly id: number
  readonly address: string
}

/** A service whose picture URLs are valid for `validMs` from the moment they are read. */
function serve(total: number, { validMs = 60_000, perPage = 10 } = {}) {
  const service = { reads: 0, broken: false, total }
  const open = async function* (): AsyncGenerator<Item[]> {
    for (let from = 0; from < service.total; from += perPage) {
      service.reads++
      if (service.broken) throw new Error('away')
      const expires = Math.floor((Date.now() + validMs) / 1_000)
      const ids = Array.from({ length: Math.min(perPage, service.total - from) }, (_, index) => from + index)
      yield ids.map((id) => ({ id, address: `http://127.0.0.1/${id}?expires=${expires}` }))
    }
  }
  return { service, listing: new Listing<Item>(open, ({ address }) => address) }
}

const settled = async (listing: Listing<Item>) => {
  while (listing.reading) await sleep(1)
}

const ids = (listing: Listing<Item>) => listing.items.map(({ id }) => id)

test('list pages are read one by one, as needed', async () => {
  const { service, listing } = serve(25)
  listing.more()
  listing.more()
  await settled(listing)
  expect([service.reads, listing.items.length, listing.complete]).toEqual([1, 10, false])
  for (let more = 0; more < 5; more++) {
    listing.more()
    await settled(listing)
  }
  expect([service.reads, listing.complete]).toEqual([3, true])
  expect(ids(listing)).toEqual(Array.from({ length: 25 }, (_, index) => index))
})

test('all picture URLs are renewed before they expire, and the list stays complete meanwhile', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { listing } = serve(40, { validMs: 600_000 })
  const lengths = new Set<number>()
  onTestFinished(listing.subscribe(() => lengths.add(listing.items.length)))
  for (let page = 0; page < 3; page++) {
    listing.more()
    await vi.advanceTimersByTimeAsync(1)
  }
  const before = listing.items.map(({ address }) => address)
  await vi.advanceTimersByTimeAsync(539_000)
  expect(listing.items.map(({ address }) => address)).toEqual(before)
  await vi.advanceTimersByTimeAsync(3_000)
  const after = listing.items.map(({ address }) => address)
  expect(after).toHaveLength(30)
  expect(after.filter((address) => before.includes(address))).toEqual([])
  expect([...lengths].sort()).toEqual([0, 10, 20, 30])
  // The list continues after them.
  listing.more()
  await vi.advanceTimersByTimeAsync(1)
  expect(ids(listing)).toEqual(Array.from({ length: 40 }, (_, index) => index))
})

test('nothing is renewed without a listener', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { service, listing } = serve(5)
  const leave = listing.subscribe(() => {})
  listing.more()
  await vi.advanceTimersByTimeAsync(1)
  leave()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(service.reads).toBe(1)
  // A new listener triggers a renewal at once.
  onTestFinished(listing.subscribe(() => {}))
  await vi.advanceTimersByTimeAsync(1)
  expect(service.reads).toBe(2)
})

test('a clock far ahead of the service does not cause endless requests', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { service, listing } = serve(5, { validMs: -3_600_000 })
  onTestFinished(listing.subscribe(() => {}))
  listing.more()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(service.reads).toBe(1)
})

test('renewing finds added and removed items', async () => {
  const { service, listing } = serve(5)
  listing.more()
  await settled(listing)
  service.total = 8
  await listing.renew()
  expect(ids(listing)).toHaveLength(8)
  service.total = 0
  await listing.renew()
  expect([ids(listing), listing.complete]).toEqual([[], true])
})

test('a hundred pictures that fail together cause one renewal', async () => {
  const { service, listing } = serve(5)
  listing.more()
  await settled(listing)
  await Promise.all(Array.from({ length: 100 }, () => listing.renewUnlessJustDone()))
  expect(service.reads).toBe(2)
  await listing.renewUnlessJustDone()
  expect(service.reads).toBe(2)
})

test('a failure keeps the items, and a retry continues', async () => {
  const { service, listing } = serve(25)
  listing.more()
  await settled(listing)
  service.broken = true
  listing.more()
  await settled(listing)
  expect(listing.failure).toBeInstanceOf(Error)
  expect(listing.items).toHaveLength(10)
  service.broken = false
  listing.retry()
  await settled(listing)
  for (let page = 0; page < 3; page++) {
    listing.more()
    await settled(listing)
  }
  expect([listing.failure, ids(listing).length]).toEqual([undefined, 25])
})

test('reading on while a renewal begins yields every item once', async () => {
  const held = Promise.withResolvers<void>()
  let readers = 0
  const listing = new Listing<Item>(
    async function* () {
      const first = readers++ === 0
      for (let page = 0; page < 4; page++) {
        if (first && page === 2) await held.promise
        yield [{ id: page, address: '' }]
      }
    },
    () => undefined,
  )
  listing.more()
  await settled(listing)
  // Like the lightbox, which hears of every change and reads ahead.
  onTestFinished(listing.subscribe(() => listing.more()))
  listing.more()
  void listing.renew()
  await sleep(5)
  held.resolve()
  await expect.poll(() => listing.complete).toBe(true)
  expect(ids(listing)).toEqual([0, 1, 2, 3])
})

test('renewals requested during a renewal run once, after it', async () => {
  const { service, listing } = serve(5)
  listing.more()
  await settled(listing)
  const first = listing.renew()
  await Promise.resolve()
  service.total = 6
  // Several requests meanwhile are one renewal.
  const reads = service.reads
  await Promise.all([first, listing.renew(), listing.renew(), listing.renew()])
  expect(ids(listing)).toHaveLength(6)
  expect(service.reads - reads).toBeLessThanOrEqual(2)
})

test('a successful renewal clears the failure of an earlier one', async () => {
  const { service, listing } = serve(25)
  listing.more()
  await settled(listing)
  service.broken = true
  await listing.renew()
  expect(listing.failure).toBeInstanceOf(Error)
  service.broken = false
  await listing.renew()
  expect(listing.failure).toBeUndefined()
  listing.more()
  await settled(listing)
  expect(ids(listing)).toHaveLength(20)
})

test('URLs that were not renewed in time are renewed again later', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { service, listing } = serve(5, { validMs: 600_000 })
  onTestFinished(listing.subscribe(() => {}))
  listing.more()
  await vi.advanceTimersByTimeAsync(1)
  service.broken = true
  await vi.advanceTimersByTimeAsync(545_000)
  const { reads } = service
  expect(listing.failure).toBeInstanceOf(Error)
  service.broken = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect([service.reads, listing.failure]).toEqual([reads + 1, undefined])
})

test('a search without a listener stops', async () => {
  let pages = 0
  const listing = new Listing<Item>(
    async function* () {
      for (; pages < 300; pages++) {
        await sleep(1)
        if (pages === 3) leave()
        yield []
      }
    },
    () => undefined,
  )
  const leave = listing.subscribe(() => {})
  listing.more()
  await settled(listing)
  expect(pages).toBeLessThan(10)
  // It continues when a listener comes back.
  onTestFinished(listing.subscribe(() => {}))
  listing.more()
  await settled(listing)
  expect([pages, listing.complete]).toEqual([300, true])
})

test('the expiry of a picture URL is read, from the service and from S3', () => {
  expect(runsOut('http://127.0.0.1/images/a.png?expires=1800000000&key=k1&signature=x')).toBe(
    1_800_000_000_000,
  )
  const presigned =
    'https://b.s3.amazonaws.com/a.png?X-Amz-Date=20260301T060000Z&X-Amz-Expires=86400&X-Amz-Signature=x'
  expect(runsOut(presigned)).toBe(Date.UTC(2026, 2, 2, 6))
  for (const address of ['', 'nonsense', 'http://127.0.0.1/a.png', 'http://127.0.0.1/?expires=soon']) {
    expect(runsOut(address)).toBeUndefined()
  }
})

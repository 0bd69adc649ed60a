// Ends pages as fast as it can, each twice at once, and puts back what others have under way. Runs until nothing is left.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../src/config/config.ts'
import { openStorage } from '../src/service/storage.ts'
import { FAILURE, PICTURE } from '../test/support/store/captures.ts'

const LOOPS = 4
const LONGEST_MS = 20
/** One page of so many fails; before one of so many, another's attempt is put back. */
const [FAILS, PUT_BACK] = [7, 5]

const { store, close } = await openStorage(readConfig({ PORT: '0', ...process.env }))
const { captures } = store

async function putBackOne(): Promise<void> {
  const underWay = await captures.findUnderWay()
  const attempt = underWay.length > 0 && underWay[randomInt(underWay.length)]
  if (attempt) await captures.putBack(attempt, { now: Date.now(), due: 0, counts: false })
}

async function work(): Promise<void> {
  while (await captures.anyUnfinished()) {
    if (randomInt(PUT_BACK) === 0) await putBackOne()
    const task = await captures.takeNext({ now: Date.now(), leaseMs: 20_000 })
    // What is left was a dead worker's, or is another's: that one comes too late then.
    if (!task) await putBackOne()
    else {
      await sleep(randomInt(LONGEST_MS))
      const outcome = randomInt(FAILS) === 0 ? FAILURE : PICTURE
      await Promise.all([
        captures.finish(task, outcome, Date.now()),
        captures.finish(task, outcome, Date.now()),
      ])
    }
  }
}

process.stdout.write('working\n')
await Promise.all(Array.from({ length: LOOPS }, work))
await close()

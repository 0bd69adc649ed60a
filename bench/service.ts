import { keepYoungHeap } from '../src/cli/serve/young-heap.ts'
import { readConfig } from '../src/config/config.ts'
import { openService } from '../src/service/service.ts'
import { openStorage } from '../src/service/storage.ts'

/** The service as `proofsheet serve` runs it, but with a clock that the bench can set ahead. */
const config = readConfig()
let ahead = 0
process.on('message', (milliseconds: number) => {
  ahead = milliseconds
  process.send?.('set')
})
keepYoungHeap()
const { url } = await openService(config, await openStorage(config), { clock: () => Date.now() + ahead })
process.stdout.write(`ready at ${url}\n`)
process.on('SIGTERM', () => process.exit(0))

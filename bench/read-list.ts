import { askOnce } from './load.ts'

/** Reads a list again and again until it is stopped, in a process of its own. argv: its address. */
const [url = ''] = process.argv.slice(2)
process.send?.('reading')
process.on('SIGTERM', () => process.exit(0))
for (;;) await askOnce({ url })

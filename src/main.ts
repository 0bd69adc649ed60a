import { run } from './cli/run.ts'

// With `proofsheet import … | head -1` a closed output must not stop the work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

await run(process.argv.slice(2))

import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'

/** The figures of one run, for programs. */
export async function writeResults(figures: readonly object[]): Promise<void> {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
  await writeFile(
    new URL('results.json', import.meta.url),
    `${JSON.stringify({ date: new Date().toISOString(), machine, figures }, undefined, 2)}\n`,
  )
}

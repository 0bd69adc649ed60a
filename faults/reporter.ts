import type { Reporter, TestCase } from 'vitest/node'
import type { Outcome } from './outcome.ts'

const COLUMNS = [
  'fault',
  'world',
  'times',
  'acknowledged',
  'lost',
  'dangling',
  'failed pages',
  'failed reads',
  'recovery',
  '',
]

/** Prints the table, row by row. */
export class FaultTable implements Reporter {
  onTestRunStart(): void {
    printRow(COLUMNS)
    printRow(COLUMNS.map(() => '---'))
  }

  onTestCaseResult(test: TestCase): void {
    const { outcome } = test.meta()
    const result = test.result()
    // Not selected.
    if (result.state === 'skipped' && !result.note) return
    printRow([test.name, ...(outcome ? figuresOf(outcome) : Array<string>(8).fill('')), verdictOf(test)])
  }
}

function figuresOf({ world, recoverySeconds, ...outcome }: Outcome): string[] {
  const counts = [outcome.times, outcome.acknowledged, outcome.lost, outcome.dangling]
  const more = [outcome.failedPages, outcome.failedReads]
  return [
    world,
    ...[...counts, ...more].map((count) => count?.toLocaleString('en') ?? ''),
    recoverySeconds === undefined ? '' : `${recoverySeconds.toFixed(1)} s`,
  ]
}

function verdictOf(test: TestCase): string {
  const result = test.result()
  const note = test.meta().outcome?.note
  if (result.state === 'skipped') return `skipped: ${result.note}`
  if (result.state === 'failed') return `FAILED: ${result.errors[0]?.message.split('\n')[0]}`
  return note ?? 'well'
}

function printRow(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

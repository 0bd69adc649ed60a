import { type Attack, ERRAND_S } from './attack.ts'
import { type Measured, MOST_STOLEN } from './measure.ts'
import { SHUTDOWN_S } from './service.ts'
import type { Tree } from './tree.ts'
import type { EngineName, World } from './world.ts'

/** The targets: × the figure without an attack, milliseconds, megabytes. */
export const TARGETS = { ratio: 5, healthMs: 100, memoryMb: 256 }
const CAPTURES: NonNullable<Attack['errandIs']> = { what: 'six captures', most: TARGETS.ratio }
/** Added to the time for stopping: a process needs a moment to end. */
const END_S = SHUTDOWN_S + 1

export interface Line {
  readonly id: string
  readonly what: string
  readonly engine: EngineName
  readonly cells: readonly string[]
  /** What misses its target. Undefined if there is no target. */
  readonly over: readonly string[] | undefined
  readonly figures: unknown
}

/** Rows that are measured in another way. */
export interface Special {
  readonly id: string
  readonly what: string
  measure(tree: Tree, world: World): Promise<{ note: string; over: readonly string[]; figures: unknown }>
}

export const HEAD = `| # | attack | engine | one root, p99 | /healthz, worst | memory | afterwards | SIGTERM | answered | |
|---|---|---|---|---|---|---|---|---|---|`

export function toLine(
  { id, what, control, errandIs = CAPTURES }: Attack,
  engine: EngineName,
  measured: Measured,
): Line {
  const { quiet, attacked, memory, afterwards, end, errand, answers, stolen } = measured
  const ratio = attacked.root.p99 / quiet.root.p99
  const errandRatio = errand ? errand.attacked / errand.quiet : 0
  const failed = attacked.root.failed + attacked.health.failed
  const over = [
    ...(ratio > TARGETS.ratio ? ['one root'] : []),
    ...(errandRatio > errandIs.most || (errand && errand.attacked >= ERRAND_S) ? [errandIs.what] : []),
    ...(attacked.health.worst > TARGETS.healthMs ? ['/healthz'] : []),
    ...(memory > TARGETS.memoryMb ? ['memory'] : []),
    ...(failed > 0 ? ['refused'] : []),
    ...(afterwards === undefined ? ['afterwards'] : []),
    ...(end.seconds > END_S || end.code !== 0 ? ['SIGTERM'] : []),
  ]
  return {
    id,
    what,
    engine,
    cells: [
      [
        `${ms(quiet.root.p99)} → ${ms(attacked.root.p99)} (${ratio.toFixed(1)} ×)`,
        ...(failed > 0 ? [`${failed} of ${attacked.root.count + attacked.health.count} failed`] : []),
        ...(errand ? [describeErrand(errandIs.what, errand)] : []),
        ...(stolen > MOST_STOLEN ? [`${(stolen * 100).toFixed(1)} % of the machine was stolen`] : []),
      ].join('; '),
      ms(attacked.health.worst),
      `+${Math.round(memory)} MB`,
      afterwards === undefined ? 'no answer' : ms(afterwards),
      `${end.seconds.toFixed(1)} s, ${end.code}`,
      describeAnswers(answers),
    ],
    over: control ? undefined : over,
    figures: measured,
  }
}

/** A cell across the whole row. */
export function toSpecialLine(
  { id, what }: Pick<Special, 'id' | 'what'>,
  engine: EngineName,
  { note, over, figures }: { note: string; over: readonly string[] | undefined; figures: unknown },
): Line {
  return { id, what, engine, cells: ['', '', '', '', '', note], over, figures }
}

function describeErrand(what: string, { quiet, attacked }: NonNullable<Measured['errand']>): string {
  const least = attacked >= ERRAND_S ? 'more than ' : ''
  return `${what} ${quiet.toFixed(1)} s → ${least}${attacked.toFixed(1)} s (${(attacked / quiet).toFixed(1)} ×)`
}

export function describeAnswers(answers: Record<string, number>): string {
  return (
    Object.entries(answers)
      .map(([status, count]) => `${count.toLocaleString('en')} × ${status}`)
      .join(', ') || 'nothing'
  )
}

export function toText({ id, what, engine, cells, over }: Line): string {
  const verdict = over === undefined ? 'control' : over.length === 0 ? 'ok' : `OVER: ${over.join(', ')}`
  return `| ${[id, what, engine, ...cells, verdict].join(' | ')} |`
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`
}

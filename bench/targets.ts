import type { WorldName } from './worlds.ts'

/** What a figure is held against: at least, or at most. */
export type Target = { readonly min: number } | { readonly max: number }

export interface Row {
  readonly id: string
  readonly what: string
  readonly unit: '' | '×' | 'MB' | 's'
  readonly targets: Partial<Record<WorldName, Target>>
}

export interface Figure {
  readonly row: string
  readonly world: WorldName
  readonly value: number
  /** How it came about, for people. */
  readonly detail: string
}

const both = (target: Target) => ({ 'SQLite + disk': target, 'PostgreSQL + S3': target })
const each = (sqlite: Target, postgres: Target) => ({ 'SQLite + disk': sqlite, 'PostgreSQL + S3': postgres })

/** A row for each figure. */
export const ROWS: readonly Row[] = [
  {
    id: '1',
    what: 'one root of 10 jobs, warm, 32 connections, against bare',
    unit: '×',
    targets: each({ min: 0.85 }, { min: 0.6 }),
  },
  {
    id: '2',
    what: 'the same with If-None-Match (304), against a bare 304',
    unit: '×',
    targets: each({ min: 0.85 }, { min: 0.6 }),
  },
  {
    id: '3',
    what: 'list of 1,000 × 10, first time in a window, its time against bare',
    unit: '×',
    targets: each({ max: 8 }, { max: 10 }),
  },
  { id: '4', what: 'the same, again', unit: '×', targets: each({ max: 2 }, { max: 3 }) },
  {
    id: '5',
    what: 'one address signed, speed against the SDK’s presigner',
    unit: '×',
    targets: { 'PostgreSQL + S3': { min: 100 } },
  },
  { id: '6a', what: 'list of 10,000 × 10: peak memory above idle', unit: 'MB', targets: both({ max: 64 }) },
  {
    id: '6b',
    what: 'its first byte against that of a list of 10 jobs',
    unit: '×',
    targets: both({ max: 3 }),
  },
  { id: '6c', what: 'p99 of one root during it against without', unit: '×', targets: both({ max: 5 }) },
  {
    id: '7',
    what: 'one root out of 1,000,000 jobs, its time against out of 10,000',
    unit: '×',
    targets: both({ max: 1.2 }),
  },
  {
    id: '8',
    what: '304 for a list of 10,000 × 10, its time against one root’s',
    unit: '×',
    targets: each({ max: 2 }, { max: 3 }),
  },
  { id: '9a', what: 'start to first answer with 1,000,000 jobs', unit: 's', targets: both({ max: 0.7 }) },
  { id: '9b', what: 'memory when idle', unit: 'MB', targets: both({ max: 110 }) },
  ...[1, 2, 4].map(
    (concurrency, index): Row => ({
      id: `10${'abc'.charAt(index)}`,
      what: `shots a second, ${concurrency} at a time, against a plain loop`,
      unit: '×',
      targets: both({ min: 0.9 }),
    }),
  ),
  {
    id: '10d',
    what: 'shots a second, 2 at a time, with a headless shell against a whole Chromium',
    unit: '×',
    targets: { 'SQLite + disk': { min: 2.5 } },
  },
  ...(
    [
      ['10e', 'with a header', 0.8],
      ['10f', 'with a cookie, in a browser of its own', 0.8],
      ['10g', 'with two pixels for one of the page', 0.25],
      ['10h', 'with `cookieBanners`, of pages without one', 0.4],
    ] as const
  ).map(
    ([id, what, min]): Row => ({
      id,
      what: `shots a second, 2 at a time, ${what}, against without`,
      unit: '×',
      targets: { 'SQLite + disk': { min } },
    }),
  ),
  {
    id: '11a',
    what: 'gallery: one root of 10,000 pictures, until the first is seen',
    unit: 's',
    targets: { 'SQLite + disk': { max: 1 } },
  },
  {
    id: '11b',
    what: 'the same: a project of 100 roots of 100',
    unit: 's',
    targets: { 'SQLite + disk': { max: 1 } },
  },
  {
    id: '11c',
    what: 'the one root against a plain page with 10,000 images',
    unit: '×',
    targets: { 'SQLite + disk': { max: 2 } },
  },
  { id: '11d', what: 'elements of the page', unit: '', targets: { 'SQLite + disk': { max: 3_000 } } },
  { id: '11e', what: 'its memory', unit: 'MB', targets: { 'SQLite + disk': { max: 20 } } },
  {
    id: '12a',
    what: '100,000 schedules: finding what is due, against none',
    unit: '×',
    targets: both({ max: 1.5 }),
  },
  {
    id: '12b',
    what: 'the same: work of an idle service, against none',
    unit: '×',
    targets: both({ max: 1.2 }),
  },
]

export function isMet({ value }: Figure, target: Target): boolean {
  return 'min' in target ? value >= target.min : value <= target.max
}

export function describeTarget(target: Target, unit: Row['unit']): string {
  return 'min' in target ? `≥ ${target.min}${unit && ` ${unit}`}` : `≤ ${target.max}${unit && ` ${unit}`}`
}

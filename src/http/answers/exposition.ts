import type { Times } from '../../capture/figures.ts'

// The text format of Prometheus.

export const PREFIX = 'proofsheet_'

type Sample = readonly [labels: string, value: number]
/** By labels such as `method="GET",status="200"`. */
type Histogram = Map<string, Times>
export type Value = number | readonly Sample[] | Histogram

/** A metric whose name ends in `_total` is a counter. */
export function metric(name: string, help: string, value: Value): string {
  const full = PREFIX + name
  const isHistogram = value instanceof Map
  const type = isHistogram ? 'histogram' : name.endsWith('_total') ? 'counter' : 'gauge'
  const lines = isHistogram ? linesOf(full, value) : samplesOf(value).map((sample) => lineOf(full, sample))
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join('\n')
}

function samplesOf(value: number | readonly Sample[]): readonly Sample[] {
  return typeof value === 'number' ? [['', value]] : value
}

function lineOf(full: string, [labels, value]: Sample): string {
  return `${full}${labels && `{${labels}}`} ${value}`
}

function linesOf(full: string, histogram: Histogram): string[] {
  return [...histogram].flatMap(([labels, { ends, counts, sum }]) => {
    let count = 0
    const buckets = counts.map((each, index) => {
      count += each
      return `${full}_bucket{le="${ends[index] ?? '+Inf'}",${labels}} ${count}`
    })
    return [...buckets, `${full}_sum{${labels}} ${sum}`, `${full}_count{${labels}} ${count}`]
  })
}

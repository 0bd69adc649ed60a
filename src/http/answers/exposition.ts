// The text format of Prometheus.

/** All our metrics begin with it. */
export const PREFIX = 'proofsheet_'

export interface HistogramSeries {
  /** `method="GET",status="200"` */
  readonly labels: string
  /** How many are in each bucket, and beyond the last. */
  readonly counts: readonly number[]
  readonly sum: number
}

type Sample = readonly [labels: string, value: number]

export function gauge(name: string, help: string, value: number | readonly Sample[]): string {
  return metric('gauge', name, help, value)
}

export function counter(name: string, help: string, value: number | readonly Sample[]): string {
  return metric('counter', name, help, value)
}

/** `ends`: the upper ends of the buckets. */
export function histogram(
  name: string,
  help: string,
  ends: readonly number[],
  all: readonly HistogramSeries[],
): string {
  const full = PREFIX + name
  const lines = all.flatMap(({ labels, counts, sum }) => {
    let count = 0
    const buckets = counts.map((each, index) => {
      count += each
      return `${full}_bucket{le="${ends[index] ?? '+Inf'}",${labels}} ${count}`
    })
    return [...buckets, `${full}_sum{${labels}} ${sum}`, `${full}_count{${labels}} ${count}`]
  })
  return [...head('histogram', full, help), ...lines].join('\n')
}

function metric(type: string, name: string, help: string, value: number | readonly Sample[]): string {
  const full = PREFIX + name
  const samples = typeof value === 'number' ? ([['', value]] as const) : value
  const lines = samples.map(([labels, each]) => `${full}${labels && `{${labels}}`} ${each}`)
  return [...head(type, full, help), ...lines].join('\n')
}

function head(type: string, full: string, help: string): string[] {
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`]
}

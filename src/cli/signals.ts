/** Resolves at the first SIGTERM or SIGINT; a second one, of either kind, ends the process at once. */
export function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let came = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (came) process.exit(1)
        came = true
        resolve(signal)
      })
    }
  })
}

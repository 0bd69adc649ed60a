/** Limits how many requests run at a time, and how many bytes they send. The others wait in their order. */
export function createRequestLimiter(most: number, mostBytes: number) {
  const waiting: { bytes: number; enter: () => void }[] = []
  let inside = 0
  let bytesInside = 0
  const letIn = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const fits = inside < most && bytesInside + next.bytes <= mostBytes
      if (!fits && inside > 0) return
      waiting.shift()
      inside++
      bytesInside += next.bytes
      next.enter()
    }
  }
  return async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((enter) => {
      waiting.push({ bytes, enter })
      letIn()
    })
    try {
      return await work()
    } finally {
      inside--
      bytesInside -= bytes
      letIn()
    }
  }
}

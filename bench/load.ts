import { Agent, get } from 'node:http'

/** Requests a second over some connections that are kept open, each asking again as soon as it was answered. */
export async function requestsPerSecond(
  url: string,
  { connections = 32, seconds = 3 }: { connections?: number; seconds?: number } = {},
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const run = async (milliseconds: number) => {
    const began = performance.now()
    let done = 0
    const client = async () => {
      while (performance.now() - began < milliseconds) {
        await fetchAll(url, agent)
        done++
      }
    }
    await Promise.all(Array.from({ length: connections }, client))
    return (done / (performance.now() - began)) * 1000
  }
  await run(500)
  const rate = await run(seconds * 1000)
  agent.destroy()
  return rate
}

/** Milliseconds for one answer to the last byte, the median of several. */
export async function timeOf(url: string, rounds = 7): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  for (let round = -1; round < rounds; round++) {
    const began = performance.now()
    await fetchAll(url, agent)
    if (round >= 0) times.push(performance.now() - began)
  }
  agent.destroy()
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

function fetchAll(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () =>
        response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${url}: ${response.statusCode}`)),
      )
      response.on('error', reject)
    }).on('error', reject)
  })
}

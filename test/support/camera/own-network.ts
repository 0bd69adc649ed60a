import { openTestCamera, paint, serveSite, type TestCamera } from './camera.ts'

// Runs in a network namespace whose addresses look public, all of them its own (test/whole/own-addresses.test.ts).
// Reports what can be reached there, directly and by captured pages.

const addresses = process.argv.slice(2)
const canary = await serveSite({ '*': paint('#ff0000') }, { host: '::' })
const lookup = async () => addresses
const hosts = [...addresses.map((address) => (address.includes(':') ? `[${address}]` : address)), 'www.test']

/** The outcome of each capture, and the number of its connections. */
async function captureAll(camera: TestCamera) {
  const captured: Record<string, { outcome: string; connections: number }> = {}
  for (const host of hosts) {
    const before = canary.connections
    const outcome = await camera.take(`http://${host}:${canary.port}/`).then(
      () => 'taken',
      (error) => error.reason ?? String(error),
    )
    captured[host] = { outcome, connections: canary.connections - before }
  }
  await camera.close()
  return captured
}

const reached = await Promise.all(
  hosts.slice(0, -1).map(async (host) => (await fetch(`http://${host}:${canary.port}/`)).ok),
)
const refused = await captureAll(openTestCamera({ lookup }))
const permitted = await captureAll(openTestCamera({ lookup, allow: addresses.join() }))
await canary.close()
process.stdout.write(JSON.stringify({ reached, refused, permitted }))

// @module-tag browser

import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BROWSER_ENV } from '../support/browser/test-browser.ts'
import { start } from '../support/processes/process.ts'

// Every address of the machine itself is private to captured pages, even a public one. Here a real browser tries to reach
// a service on such an address. It runs in its own network namespace: no interface of the real machine is changed.

const INSIDE = fileURLToPath(new URL('../support/camera/own-network.ts', import.meta.url))

/** How the machine gets each address. Node lists only the interfaces of the first two. */
const ADDRESSES = {
  '45.33.32.156': 'ip addr add 45.33.32.156/32 dev lo',
  '2600:3c01::1': 'ip -6 addr add 2600:3c01::1/128 dev lo nodad',
  // An interface without a cable.
  '53.1.1.1': 'ip link add v0 type veth peer name v1 && ip link set v0 up && ip addr add 53.1.1.1/24 dev v0',
  // As in clouds, for load balancers.
  '52.1.2.3': 'ip route add local 52.1.2.0/24 dev lo',
}

test('a page cannot reach the machine at its own public addresses', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('needs network namespaces of Linux')
  // Addresses that the system supports: without IPv6, or without pairs of interfaces, there are fewer.
  const setUp = Object.entries(ADDRESSES).map(
    ([address, command]) => `if ${command}; then set -- "$@" ${address}; fi`,
  )
  const script = ['ip link set lo up', ...setUp, '"$@"'].join('\n')
  const run = (...command: string[]) =>
    start('sh', ['-c', 'exec unshare -rn sh -c "$@"', 'sh', script, 'sh', ...command], { env: BROWSER_ENV })
  const probe = run('echo')
  await probe.ended
  const addresses = probe.stdout().trim().split(' ').filter(Boolean)
  if (addresses.length === 0) {
    return skip(`no network namespace with addresses of its own here: ${probe.stderr()}`)
  }

  const inside = run(process.execPath, INSIDE)
  await inside.ended
  const found = JSON.parse(inside.stdout() || `{ "error": ${JSON.stringify(inside.stderr())} }`)
  const hosts = [
    ...addresses.map((address) => (address.includes(':') ? `[${address}]` : address)),
    'www.test',
  ]
  expect(found).toEqual({
    reached: addresses.map(() => true),
    refused: Object.fromEntries(hosts.map((host) => [host, { outcome: 'blocked', connections: 0 }])),
    permitted: Object.fromEntries(
      hosts.map((host) => [host, { outcome: 'taken', connections: expect.any(Number) }]),
    ),
  })
  for (const host of hosts) expect(found.permitted[host].connections).toBeGreaterThan(0)
})

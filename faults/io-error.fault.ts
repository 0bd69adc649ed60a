import { randomInt, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { start } from '../test/support/processes/process.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { audit } from './audit.ts'
import { tell } from './outcome.ts'
import { whyNotRecorded } from './power/power-cuts.ts'

const TIMES = 12
const ROUNDS = 6
const CALLS = ['pwrite64', 'write', 'fsync,fdatasync', 'rename,renameat,renameat2', 'openat', 'ftruncate']

for (const error of ['EIO', 'ENOSPC']) {
  test(`a system call fails with ${error} during imports and captures`, async ({ task, skip }) => {
    const reason = whyNotRecorded()
    if (reason) skip(reason)
    const sum = { acknowledged: 0, lost: 0, dangling: 0 }
    let noticed = 0
    for (let time = 0; time < TIMES; time++) {
      const calls = CALLS[time % CALLS.length] ?? ''
      const env = { DATA_DIR: join(await makeFolder(), 'data') }
      const projectId = randomUUID()
      const workload = fileURLToPath(new URL('power/workload.ts', import.meta.url))
      // From that call on, for a while: a disk that fails once fails again.
      const first = randomInt(30, 400)
      const inject = `inject=${calls}:error=${error}:when=${first}..${first + 20}`
      const args = ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject]
      const running = start('strace', [...args, process.execPath, workload, projectId, String(ROUNDS)], {
        env,
      })
      const { code } = await running.ended
      if (code !== 0) noticed++
      const said = running
        .stdout()
        .split('\n')
        .map((line) => line.split(' '))
        .filter(([, id]) => id)
      const found = await audit({ env, projectId })
      sum.acknowledged += said.length
      sum.dangling += found.dangling
      sum.lost += said.filter(
        ([kind, id = '']) => !(kind === 'root' ? found.rootIds : found.jobIds).has(id),
      ).length
    }
    tell(task, {
      world: 'SQLite and a folder',
      times: TIMES,
      ...sum,
      note: `${noticed} of ${TIMES} runs ended with an error`,
    })
    expect(noticed).toBeGreaterThan(0)
  })
}

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished, test } from 'vitest'
import { COLOURED, servePages } from '../test/support/camera/pages.ts'
import { askFor } from '../test/support/http/ask-for.ts'
import { serveProcess, start } from '../test/support/processes/process.ts'
import { makeFolder } from '../test/support/processes/workspace.ts'
import { compare } from './audit.ts'
import { tell } from './outcome.ts'
import { useInstallations } from './worlds.ts'

/** Versions whose data must work with this version: the last commit of each. */
const VERSIONS = ['f65ba45', '49c37f7', '5db6917']
const ROOTS = 6
const PAGES = 5
const REPOSITORY = fileURLToPath(new URL('..', import.meta.url))

/** A checkout of another version, with its own packages. Returns a reason if there is none. */
async function checkOut(version: string): Promise<{ tree: string } | { missing: string }> {
  const tree = join(await makeFolder(), 'tree')
  const run = (command: string, cwd: string, ...args: string[]) =>
    void execFileSync(command, args, { cwd, stdio: 'ignore' })
  try {
    run('git', REPOSITORY, 'worktree', 'add', '--detach', tree, version)
  } catch {
    return { missing: `${version} is not in this repository` }
  }
  onTestFinished(() => run('git', REPOSITORY, 'worktree', 'remove', '--force', tree))
  try {
    // It runs with the Node of this version.
    run('npm', tree, 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  } catch {
    return { missing: `the packages of ${version} cannot be installed` }
  }
  return { tree }
}

for (const [world, newInstallation] of useInstallations()) {
  for (const version of VERSIONS) {
    test(`kill -9 of ${version} while pages are captured, then this version, ${world}`, async ({
      task,
      skip,
    }) => {
      const checkout = await checkOut(version)
      if ('missing' in checkout) return skip(checkout.missing)
      const { tree } = checkout
      const site = await servePages((_path, response) => void setTimeout(() => response.end(COLOURED), 200))
      // The older version also makes the installation.
      const installation = await newInstallation(
        { CAPTURE_ALLOW: `127.0.0.1:${site.port}`, CAPTURE_CONCURRENCY: '2' },
        join(tree, 'bin', 'proofsheet.js'),
      )
      const old = start(process.execPath, [join(tree, 'bin', 'proofsheet.js'), 'serve'], {
        env: { PORT: '0', ...installation.env },
      })
      const [, oldUrl = ''] = await old.waitFor(/ready at (http:\/\/\S+)/)
      const urls = Array.from({ length: PAGES }, (_, index) => ({ url: `${site.url}/${index}`, name: 'x' }))
      const acknowledged: string[] = []
      const ask = async () => await askFor(oldUrl, installation.projectId).post(urls)
      for (let root = 0; root < ROOTS; root++) {
        acknowledged.push(await ask())
      }
      await sleep(2_500)
      process.kill(old.pid, 'SIGKILL')
      await old.ended

      const began = performance.now()
      const service = await serveProcess(installation.env)
      for (const rootId of acknowledged) await askFor(service.url, installation.projectId).finished(rootId)
      const recoverySeconds = (performance.now() - began) / 1_000
      process.kill(service.pid, 'SIGTERM')
      await service.ended
      const { found, done } = await compare(installation, acknowledged)
      tell(task, { world, times: 1, ...found, recoverySeconds, note: `${done} pages done` })
    })
  }
}

import { readdir, readFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildGallery } from '../../gallery/build.ts'
import { makeFolder } from '../support/processes/workspace.ts'

test('the web page is built completely or not at all, even if the build is killed', async () => {
  const into = join(await makeFolder(), 'gallery')
  let building = true
  const built = buildGallery({ into, quiet: true }).finally(() => {
    building = false
  })
  const seen = new Set<string>()
  while (building) {
    seen.add((await readdir(into, { recursive: true }).catch(() => [])).toSorted().join())
    await nextTurn()
  }
  await built
  const files = (await readdir(into, { recursive: true })).toSorted()
  expect([...seen].filter((names) => names !== '')).toEqual(seen.size > 1 ? [files.join()] : [])
  const html = await readFile(join(into, 'index.html'), 'utf8')
  for (const [, name = ''] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) expect(files).toContain(name)
  expect(files).toContain('index.html.gz')
})

test('the web page is not built again if it is newer than its sources', async () => {
  const into = join(await makeFolder(), 'gallery')
  await buildGallery({ into, quiet: true })
  const { ino } = await stat(join(into, 'index.html'))
  await buildGallery({ into, quiet: true, ifOlder: true })
  expect((await stat(join(into, 'index.html'))).ino).toBe(ino)
  await utimes(join(into, 'index.html'), 0, 0)
  await buildGallery({ into, quiet: true, ifOlder: true })
  expect((await stat(join(into, 'index.html'))).ino).not.toBe(ino)
})

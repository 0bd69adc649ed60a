import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, type TestPostgres } from '../../test/support/servers/postgres.ts'
import { serveSite } from './site.ts'
import type { Tree } from './tree.ts'
import { type EngineName, makeWorld, type World } from './world.ts'

/** Those whose names begin like this. */
export function enginesOf(name = ''): readonly EngineName[] {
  return (['SQLite', 'PostgreSQL'] as const).filter((engine) =>
    engine.toLowerCase().startsWith(name.toLowerCase()),
  )
}

/** Makes worlds in a folder and a database of this run, and removes them afterwards. */
export async function withEngine(
  engine: EngineName,
  run: (newWorld: (tree: Tree) => Promise<World>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proofsheet-unfair-'))
  // Also if a signal ends this process.
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const worlds: World[] = []
  const site = await serveSite()
  let postgres: TestPostgres | undefined
  try {
    postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined
    await run(async (tree) => {
      const world = await makeWorld(tree, {
        engine,
        folder,
        databaseUrl: await postgres?.newDatabase(),
        site: site.url,
      })
      worlds.push(world)
      return world
    })
  } finally {
    for (const world of worlds) await world.close()
    await postgres?.close()
    await site.close()
    remove()
  }
}

import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runProofsheet } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { makeProject } from '../support/store/results.ts'
import { open, useCopying } from './use-copying.ts'

const { s3, start } = useCopying()

describe('copy: mistakes', () => {
  test.each([
    [['--to-database', 'mysql://x'], 2, '--to-database must begin with sqlite: or postgres:'],
    [
      ['--to-database', 'sqlite:x.db', '--to-images', 's3://xxx?regoin=y'],
      2,
      '--to-images takes endpoint, region, style',
    ],
    [['--to-database', 'sqlite:x', 'postgres://me:hunter2@x'], 2, 'too many arguments'],
    [['--to-database', 'sqlite:x', '--to-imags=postgres://me:hunter2@x'], 2, 'unknown option'],
    [['--to-database', 'postgres:me:hunter2@x'], 2, '--to-database must be postgres://'],
    [[], 2, "required option '--to-database <address>' not specified"],
  ])('%j', async (options, exit, message) => {
    const env = { DATA_DIR: join(await makeFolder(), 'data') }
    const { code, stderr } = await runProofsheet(['copy', ...options], env)
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
    expect(stderr).not.toMatch(/hunter2| {4}at /)
  })

  test('a target that equals the source, or an empty source, is refused', async () => {
    const DATA_DIR = join(await makeFolder(), 'data')
    const database = `sqlite://${DATA_DIR}/proofsheet.db`
    const same = await runProofsheet(['copy', '--to-database', database], { DATA_DIR })
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('source and target are the same')])
    const empty = await runProofsheet(['copy', '--to-database', `${database}-2`], { DATA_DIR })
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('there is nothing to copy')])
  })

  test('a missing bucket is reported before anything is copied', async () => {
    const { embedded, env, world } = await start()
    await makeProject((await open(embedded)).store)
    const nowhere = world.IMAGES_URL.replace('s3://shots', 's3://nobodys')
    const args = ['copy', '--to-database', world.DATABASE_URL, '--to-images', nowhere]
    const { code, stderr } = await runProofsheet(args, env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no such bucket')])
  })

  test('an unreachable database is reported without its password', async () => {
    const env = { DATA_DIR: join(await makeFolder(), 'data') }
    await runProofsheet(['project', 'create'], env)
    const address = 'postgres://me:hunter2@127.0.0.1:1/x'
    const { code, stderr } = await runProofsheet(['copy', '--to-database', address], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('The database cannot be reached')])
    expect(stderr).not.toMatch(/hunter2| {4}at /)
  })

  test('an unreachable bucket stops the copy with a sentence, and a later run continues', async () => {
    const { embedded, copy } = await start()
    const folder = await makeFolder()
    const { stdout } = await runProofsheet(['project', 'create'], embedded)
    const file = await writeImport(folder, [{ jobs: [page()] }])
    await runProofsheet(['import', '--project', stdout.trim(), file], embedded)
    s3.interfere = ({ method }, response) => {
      if (method !== 'PUT') return false
      response.writeHead(500).end()
      return true
    }
    onTestFinished(() => {
      s3.interfere = undefined
    })
    const stopped = await copy()
    expect(stopped.code).toBe(1)
    expect(stopped.stderr).toContain('Stopped. Run the same command again to continue.')
    expect(stopped.stderr).toContain('proofsheet: S3 cannot be reached or is busy: 500')
    s3.interfere = undefined
    expect((await copy()).code).toBe(0)
  })
})

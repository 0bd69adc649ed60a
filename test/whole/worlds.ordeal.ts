import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RootResult } from '../../src/contract/results.ts'
import { startService } from '../support/http/service.ts'
import { runProofsheet, serveProcess } from '../support/processes/process.ts'
import { makeFolder } from '../support/processes/workspace.ts'
import { usePostgres, useS3 } from '../support/servers/use-servers.ts'
import { newWorld, withoutAddresses } from '../support/servers/worlds.ts'
import { page, writeImport } from '../support/store/import-file.ts'
import { addRows, makePng, makeProject, rootsUrl } from '../support/store/results.ts'

const postgres = usePostgres()
const s3 = useS3()

describe('one machine, and PostgreSQL with S3', () => {
  test('the same import gives the same answers, byte for byte except for the picture URLs', async () => {
    const folder = await makeFolder()
    const file = await writeImport(
      folder,
      [
        { created: 1_700_000_000_000, jobs: [page(), page({ image: 'b.png', basepath: '/x' })] },
        {
          rootId: randomUUID(),
          created: 1_700_000_000_000,
          jobs: [page({ url: 'https://ü.example/?a=b&c="d"\\' })],
        },
        {
          created: 1_699_999_999_999,
          jobs: Array.from({ length: 110 }, (_, index) => page({ basepath: `/${index}` })),
        },
      ],
      { 'b.png': await makePng(500, 300, '#aa0000') },
    )
    const projectId = randomUUID()
    const answers = []
    for (const world of [{}, await newWorld(postgres, s3)]) {
      const env = { DATA_DIR: join(folder, 'data'), ...world }
      expect((await runProofsheet(['project', 'create', '--id', projectId, '--name', 'Ω'], env)).code).toBe(0)
      const imported = await runProofsheet(['import', '--project', projectId, file], env)
      expect([imported.code, imported.stdout.match(/^added/gm)]).toEqual([0, ['added', 'added', 'added']])
      const service = await serveProcess(env)
      const list = await (await fetch(service.url + rootsUrl(projectId))).text()
      for (const { data, preview, screenshotParameter } of (JSON.parse(list) as RootResult[]).flatMap(
        ({ jobs }) => jobs,
      )) {
        const picture = Buffer.from(await (await fetch(data)).arrayBuffer())
        expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([
          screenshotParameter.width,
          screenshotParameter.height,
        ])
        const small = await fetch(preview)
        expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/png'])
      }
      const [root] = JSON.parse(list) as RootResult[]
      const one = await (await fetch(`${service.url}${rootsUrl(projectId)}/${root?.rootId}`)).text()
      const first = await fetch(`${service.url}${rootsUrl(projectId)}?limit=2`)
      const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '')
      const second = await (await fetch(service.url + next)).text()
      answers.push([list, `[${one}]`, await first.text(), second].map(withoutAddresses).concat(next ?? ''))
    }
    expect(answers[0]?.[0]?.length).toBeGreaterThan(10_000)
    expect(answers[1]).toEqual(answers[0])
  })

  test('image paths of this service do not exist if pictures are in a bucket', async () => {
    const service = await startService(await newWorld(postgres, s3))
    const path = `/images/${randomUUID()}/${randomUUID()}.png`
    for (const query of ['', '?expires=1&key=k1&signature=x']) {
      expect((await service.get(path + query)).status).toBe(404)
    }
    expect((await service.get('/readyz')).status).toBe(200)
  })
})

describe('two instances on one database', () => {
  test('start together on an empty one, see each other’s writes at once, and agree on ETags and URLs', async () => {
    const world = await newWorld({ newDatabase: postgres.newEmptyDatabase }, s3)
    const instances = await Promise.all([serveProcess(world), serveProcess(world)])
    const projectId = randomUUID()
    expect((await runProofsheet(['project', 'create', '--id', projectId], world)).code).toBe(0)
    const folder = await makeFolder()
    for (let turn = 0; turn < 3; turn++) {
      const file = await writeImport(folder, [{ created: turn, jobs: [page({ basepath: `/${turn}` })] }])
      expect((await runProofsheet(['import', '--project', projectId, file], world)).code).toBe(0)
      const answers = await Promise.all(instances.map(({ url }) => fetch(url + rootsUrl(projectId))))
      const bodies = await Promise.all(answers.map((answer) => answer.text()))
      expect(JSON.parse(bodies[0] ?? '')).toHaveLength(turn + 1)
      expect(bodies[1]).toBe(bodies[0])
      const [mine, theirs] = answers.map((answer) => answer.headers.get('etag'))
      expect(theirs).toBe(mine)
      const conditional = await fetch((instances[1]?.url ?? '') + rootsUrl(projectId), {
        headers: { 'if-none-match': mine ?? '' },
      })
      expect(conditional.status).toBe(304)
    }
  })

  test('show a write of one in the very next answer of the other, every time', async () => {
    const world = await newWorld(postgres, s3)
    const [one, other] = [await startService(world), await startService(world)]
    const projectId = await makeProject(one.store)
    let etag = ''
    for (let count = 1; count <= 50; count++) {
      await addRows((count % 2 === 0 ? one : other).store, projectId)
      const answer = await (count % 2 === 0 ? other : one).get(rootsUrl(projectId), { 'if-none-match': etag })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toHaveLength(count)
      etag = answer.headers.get('etag') ?? ''
    }
  })
})

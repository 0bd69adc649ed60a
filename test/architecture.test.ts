import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = ['src/**/*.ts', 'gallery/src/**/*.{ts,tsx}']
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g

interface Import {
  readonly from: string
  readonly to: string
}

/** Every import of every source file; relative ones as paths from the top. */
async function readImports(): Promise<Import[]> {
  const imports: Import[] = []
  for await (const file of glob(SOURCES, { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8')
    for (const [, to = ''] of text.matchAll(IMPORT)) {
      imports.push({ from: file, to: to.startsWith('.') ? join(dirname(file), to) : to })
    }
  }
  return imports
}

/** The rows of the table in ARCHITECTURE.md that has this first column. */
async function readTable(firstColumn: string): Promise<string[][]> {
  const lines = (await readFile(join(ROOT, 'ARCHITECTURE.md'), 'utf8')).split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${firstColumn} |`))
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** `src/http/server.ts` is in room http, `src/errors.ts` in room errors, and the web page is a room of its own. */
function roomOf(path: string): string {
  const [top, room = ''] = path.split('/')
  return top === 'gallery' ? 'gallery' : room.replace('.ts', '')
}

const isOurs = (path: string) => path.startsWith('src/') || path.startsWith('gallery/')

test('each room imports only what ARCHITECTURE.md allows', async () => {
  const allowed = new Map(
    (await readTable('Room')).map(([room = '', , may = '']) => [room.replaceAll('`', ''), may.split(', ')]),
  )
  expect(allowed.size).toBeGreaterThan(10)
  const inside = (await readImports()).filter(({ to }) => isOurs(to))
  expect(inside.length).toBeGreaterThan(100)
  const broken = inside.filter(
    ({ from, to }) => roomOf(from) !== roomOf(to) && !allowed.get(roomOf(from))?.includes(roomOf(to)),
  )
  expect(broken).toEqual([])
  // The map names no missing room and no unused permission.
  const used = Map.groupBy(inside, ({ from }) => roomOf(from))
  for (const [room, rooms] of allowed) {
    const uses = new Set(
      used
        .get(room)
        ?.map(({ to }) => roomOf(to))
        .filter((to) => to !== room),
    )
    expect([room, [...uses].sort()]).toEqual([room, rooms[0] === 'nothing' ? [] : rooms.toSorted()])
  }
  const rooms = new Set((await Array.fromAsync(glob(SOURCES, { cwd: ROOT }))).map(roomOf))
  expect([...allowed.keys()].sort()).toEqual([...rooms].sort())
})

test('no files import each other in a circle', async () => {
  const to = Map.groupBy(
    (await readImports()).filter((each) => isOurs(each.to)),
    ({ from }) => from,
  )
  const known = new Set<string>()
  const circles: string[] = []
  const walk = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (known.has(file)) return
    known.add(file)
    for (const next of to.get(file) ?? []) walk(next.to, [...way, file])
  }
  for (const file of to.keys()) walk(file, [])
  expect(circles).toEqual([])
})

test('a package or file that belongs to one place is imported nowhere else', async () => {
  const imports = await readImports()
  const places = await readTable('Only here')
  expect(places.length).toBeGreaterThan(4)
  for (const [place = '', things = ''] of places) {
    const home = place.replaceAll('`', '')
    for (const [, thing = ''] of things.matchAll(/`([^`]+)`/g)) {
      const users = imports.filter(({ to }) => to === thing)
      expect([thing, users.length > 0]).toEqual([thing, true])
      const strangers = users.filter(({ from }) => from !== home && !from.startsWith(`${home}/`))
      expect([thing, strangers]).toEqual([thing, []])
    }
  }
})

test('only types are imported from node:http: importing values makes Node load fetch at every start', async () => {
  const users: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8')
    if (/^import (?!type\b)[^'"]* from 'node:http'/m.test(text)) users.push(file)
  }
  expect(users).toEqual([])
})

test('client, contract and errors run anywhere: they import no node: module and no package', async () => {
  const anywhere = ['client', 'contract', 'errors']
  const imports = (await readImports()).filter(({ from }) => anywhere.includes(roomOf(from)))
  expect(imports.filter(({ to }) => !isOurs(to))).toEqual([])
})

/** The files that match and have more lines than this. */
async function findLong(patterns: string[], most: number): Promise<string[]> {
  const long: string[] = []
  for await (const file of glob(patterns, { cwd: ROOT })) {
    const lines = (await readFile(join(ROOT, file), 'utf8')).trimEnd().split('\n').length
    if (lines > most) long.push(`${file}: ${lines} lines`)
  }
  return long
}

test('no source file has more than 320 lines', async () => {
  expect(await findLong([...SOURCES, 'gallery/src/**/*.css'], 320)).toEqual([])
})

test('no test file has more than 500 lines', async () => {
  expect(await findLong(['test/**/*.{ts,tsx}'], 500)).toEqual([])
})

test('ARCHITECTURE.md names each folder of test/support', async () => {
  const named = (await readTable('Folder of `test/support`')).map(([folder = '']) =>
    folder.replaceAll('`', ''),
  )
  const files = await Array.fromAsync(glob('test/support/**/*.ts', { cwd: ROOT }))
  expect(named).toEqual([...new Set(files.map((file) => file.split('/')[2]))].toSorted())
})

import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeZip, type ZipEntry } from '../../src/results/zip.ts'
import { readZip } from '../support/http/read-zip.ts'

async function write(entries: Iterable<ZipEntry>): Promise<Uint8Array[]> {
  return await Array.fromAsync(
    writeZip(
      (async function* () {
        yield* entries
      })(),
    ),
  )
}

function entry(name: string, chunks: readonly Uint8Array[], modified = 1_700_000_000_000): ZipEntry {
  const bytes = Buffer.concat(chunks)
  return { name, modified, size: bytes.length, crc: crc32(bytes), read: () => chunks }
}

test('an archive without files is valid', async () => {
  expect(readZip(await write([]))).toEqual([])
})

test('property: files are read as they were written, in order', async () => {
  const file = fc.record({
    name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    chunks: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }),
    modified: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(file, { maxLength: 8 }), async (files) => {
      const archive = await write(files.map(({ name, chunks, modified }) => entry(name, chunks, modified)))
      const read = readZip(archive)
      expect(read.map(({ name }) => name)).toEqual(files.map(({ name }) => name))
      expect(read.map((each) => each.bytes())).toEqual(files.map(({ chunks }) => Buffer.concat(chunks)))
      const seconds = (ms: number) => Math.min(Math.floor(ms / 1000), 2 ** 31 - 1)
      expect(read.map(({ modified }) => seconds(modified))).toEqual(
        files.map(({ modified }) => seconds(modified)),
      )
    }),
  )
})

test('times outside the range of a field become its first or last value', async () => {
  for (const modified of [0, 8_640_000_000_000_000]) {
    expect(readZip(await write([entry('a', [], modified)]))).toHaveLength(1)
  }
})

test('more than 65,535 files are possible', async () => {
  const files = Array.from({ length: 70_000 }, (_, index) => entry(`${index}`, []))
  expect(readZip([Buffer.concat(await write(files))]).map(({ name }) => name)).toEqual(
    files.map(({ name }) => name),
  )
})

test('more than 4 GiB are possible, in all and in one file', async () => {
  const chunk = Buffer.alloc(256 * 1024 * 1024)
  const crc = crc32(chunk)
  const large = (name: string, count: number): ZipEntry => ({
    ...{ name, modified: 1_700_000_000_000, size: count * chunk.length, crc },
    read: () => Array.from({ length: count }, () => chunk),
  })
  const read = readZip(
    await write([large('first', 1), large('huge', 17), large('behind', 1), entry('last', [])]),
  )
  expect(read.map(({ name, size }) => [name, size / chunk.length])).toEqual([
    ['first', 1],
    ['huge', 17],
    ['behind', 1],
    ['last', 0],
  ])
  expect(read[2]?.bytes().length).toBe(chunk.length)
})

test('a file with another size than announced is an error', async () => {
  const wrong = { ...entry('a', [Buffer.from('x')]), size: 2 }
  await expect(write([wrong])).rejects.toThrow('a has 1 bytes instead of 2')
})

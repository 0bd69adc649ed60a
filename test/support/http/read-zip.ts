import { crc32 } from 'node:zlib'

export interface ReadEntry {
  readonly name: string
  readonly modified: number
  readonly size: number
  readonly crc: number
  /** Checked against every size and checksum in the archive. */
  bytes(): Buffer
}

/** Reads an archive from its end, like most programs. Throws if anything is wrong. */
export function readZip(chunks: readonly Uint8Array[]): ReadEntry[] {
  const { length, read } = joining(chunks)
  const end = read(length - 22, 22)
  need(end.readUInt32LE(0) === 0x06054b50 && end.readUInt16LE(20) === 0, 'it ends with the record of its end')
  const large = end.readUInt32LE(16) === 0xffffffff || end.readUInt16LE(10) === 0xffff
  const { count, size, offset } = large ? readLargeEnd() : readEnd()
  need(offset + size + (large ? 76 : 0) + 22 === length, 'nothing lies between the directory and the end')
  const directory = read(offset, size)
  const entries: ReadEntry[] = []
  let expected = 0
  for (let at = 0; at < size; ) {
    need(directory.readUInt32LE(at) === 0x02014b50, 'the directory has headers')
    const [nameLength, extraLength] = [directory.readUInt16LE(at + 28), directory.readUInt16LE(at + 30)]
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength)
    const extra = readExtra(directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength))
    const sizeOf = extra.number(directory.readUInt32LE(at + 20))
    need(extra.number(directory.readUInt32LE(at + 24)) === sizeOf, 'what is stored is as large as it was')
    const place = extra.number(directory.readUInt32LE(at + 42))
    need(place === expected, 'files follow each other')
    const said = { name, size: sizeOf, crc: directory.readUInt32LE(at + 16), modified: extra.modified }
    const start = readLocal(place, said)
    entries.push({ ...said, bytes: () => check(read(start, sizeOf), said) })
    expected = start + sizeOf
    at += 46 + nameLength + extraLength
  }
  need(expected === offset && entries.length === count, 'all files are in the directory')
  return entries

  function readEnd() {
    return { count: end.readUInt16LE(10), size: end.readUInt32LE(12), offset: end.readUInt32LE(16) }
  }

  function readLargeEnd() {
    const locator = read(length - 22 - 20, 20)
    need(locator.readUInt32LE(0) === 0x07064b50, 'a large archive says where its end is described')
    const record = read(Number(locator.readBigUInt64LE(8)), 56)
    need(record.readUInt32LE(0) === 0x06064b50, 'and it is there')
    const [of, bytes, from] = [32, 40, 48].map((at) => Number(record.readBigUInt64LE(at)))
    return { count: of ?? 0, size: bytes ?? 0, offset: from ?? 0 }
  }

  /** Returns the position at which the bytes of the file begin. */
  function readLocal(place: number, { name, size: bytes, crc }: Omit<ReadEntry, 'bytes'>): number {
    const header = read(place, 30)
    need(header.readUInt32LE(0) === 0x04034b50, `${name} has a header`)
    need(
      header.readUInt16LE(6) === 0x0800 && header.readUInt16LE(8) === 0,
      'stored, all said before, in UTF-8',
    )
    const [nameLength, extraLength] = [header.readUInt16LE(26), header.readUInt16LE(28)]
    need(read(place + 30, nameLength).toString() === name, `${name} is called so in both places`)
    const extra = readExtra(read(place + 30 + nameLength, extraLength))
    need(extra.number(header.readUInt32LE(18)) === bytes, `${name} is as large in both places`)
    need(header.readUInt32LE(14) === crc, `${name} has one checksum`)
    return place + 30 + nameLength + extraLength
  }
}

function check(bytes: Buffer, { name, crc }: { name: string; crc: number }): Buffer {
  need(crc32(bytes) === crc, `${name} has the bytes that its checksum is of`)
  return bytes
}

/** `number`, or the next large field if `number` stands for that. */
function readExtra(extra: Buffer) {
  const numbers: number[] = []
  let modified = Number.NaN
  for (let at = 0; at < extra.length; ) {
    const [id, size] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)]
    if (id === 0x5455) modified = extra.readInt32LE(at + 5) * 1000
    for (let from = at + 4; id === 1 && from < at + 4 + size; from += 8) {
      numbers.push(Number(extra.readBigUInt64LE(from)))
    }
    at += 4 + size
  }
  return {
    modified,
    number: (plain: number) => (plain === 0xffffffff ? (numbers.shift() ?? Number.NaN) : plain),
  }
}

/** Reads anywhere in chunks as if they were one, which may be more than a Buffer holds. */
function joining(chunks: readonly Uint8Array[]) {
  const starts: number[] = []
  let length = 0
  for (const chunk of chunks) {
    starts.push(length)
    length += chunk.length
  }
  const read = (from: number, size: number): Buffer => {
    need(from >= 0 && from + size <= length, 'what is asked for lies within')
    const parts: Uint8Array[] = []
    let index = Math.max(
      0,
      starts.findLastIndex((start) => start <= from),
    )
    for (let at = from; at < from + size; index++) {
      const [chunk, start] = [chunks[index] as Uint8Array, starts[index] as number]
      const part = chunk.subarray(at - start, Math.min(chunk.length, from + size - start))
      parts.push(part)
      at += part.length
    }
    return Buffer.concat(parts)
  }
  return { length, read }
}

function need(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not an archive: ${what}`)
}

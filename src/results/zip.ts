// ZIP (APPNOTE.TXT 6.3.10), as far as pictures need it: stored without compression.

/** A file. Its size and checksum are known before its first byte, so that an archive can be read as a stream. */
export interface ZipEntry {
  readonly name: string
  /** Unix milliseconds. */
  readonly modified: number
  readonly size: number
  readonly crc: number
  /** As many bytes as `size` says. */
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

const LOCAL_HEADER = 0x04034b50
const DIRECTORY_HEADER = 0x02014b50
const END = 0x06054b50
const END_64 = 0x06064b50
const END_64_LOCATOR = 0x07064b50
const EXTRA_64 = 0x0001
const EXTRA_TIME = 0x5455

/** Names are UTF-8. */
const FLAGS = 0x0800
const VERSION = 20
const VERSION_64 = 45
const UNIX = 3 << 8
const PLAIN_FILE = (0o100644 << 16) >>> 0

/** The value of a field whose number is too large for it; the number is then in an extra field or record. */
const MAX_16 = 0xffff
const MAX_32 = 0xffffffff

/** Writes one file after the other. Of written files it keeps only the name and the offset. */
export async function* writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = []
  let offset = 0
  for await (const entry of entries) {
    directory.push(directoryHeader(entry, offset))
    const header = localHeader(entry)
    yield header
    let written = 0
    for await (const chunk of entry.read()) {
      written += chunk.length
      yield chunk
    }
    if (written !== entry.size) throw new Error(`${entry.name} has ${written} bytes instead of ${entry.size}`)
    offset += header.length + written
  }
  const headers = Buffer.concat(directory)
  yield headers
  yield endOf({ count: directory.length, size: headers.length, offset })
}

function localHeader({ name, modified, size, crc }: ZipEntry): Buffer {
  const text = Buffer.from(name)
  const large = size >= MAX_32 ? [size, size] : []
  const extra = Buffer.concat([extraTime(modified), extra64(large)])
  const header = Buffer.alloc(30)
  header.writeUInt32LE(LOCAL_HEADER, 0)
  header.writeUInt16LE(versionFor(large), 4)
  header.writeUInt16LE(FLAGS, 6)
  header.writeUInt32LE(dosTime(modified), 10)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(Math.min(size, MAX_32), 18)
  header.writeUInt32LE(Math.min(size, MAX_32), 22)
  header.writeUInt16LE(text.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, text, extra])
}

function directoryHeader({ name, modified, size, crc }: ZipEntry, offset: number): Buffer {
  const text = Buffer.from(name)
  const large = [...(size >= MAX_32 ? [size, size] : []), ...(offset >= MAX_32 ? [offset] : [])]
  const extra = Buffer.concat([extraTime(modified), extra64(large)])
  const header = Buffer.alloc(46)
  header.writeUInt32LE(DIRECTORY_HEADER, 0)
  header.writeUInt16LE(UNIX | versionFor(large), 4)
  header.writeUInt16LE(versionFor(large), 6)
  header.writeUInt16LE(FLAGS, 8)
  header.writeUInt32LE(dosTime(modified), 12)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(Math.min(size, MAX_32), 20)
  header.writeUInt32LE(Math.min(size, MAX_32), 24)
  header.writeUInt16LE(text.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(PLAIN_FILE, 38)
  header.writeUInt32LE(Math.min(offset, MAX_32), 42)
  return Buffer.concat([header, text, extra])
}

/** The end record: the offset of the directory. */
function endOf({ count, size, offset }: { count: number; size: number; offset: number }): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(Math.min(count, MAX_16), 8)
  end.writeUInt16LE(Math.min(count, MAX_16), 10)
  end.writeUInt32LE(Math.min(size, MAX_32), 12)
  end.writeUInt32LE(Math.min(offset, MAX_32), 16)
  if (count < MAX_16 && size < MAX_32 && offset < MAX_32) return end
  const large = Buffer.alloc(56 + 20)
  large.writeUInt32LE(END_64, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(UNIX | VERSION_64, 12)
  large.writeUInt16LE(VERSION_64, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(size), 40)
  large.writeBigUInt64LE(BigInt(offset), 48)
  large.writeUInt32LE(END_64_LOCATOR, 56)
  large.writeBigUInt64LE(BigInt(offset + size), 64)
  large.writeUInt32LE(1, 72)
  return Buffer.concat([large, end])
}

function versionFor(large: readonly number[]): number {
  return large.length > 0 ? VERSION_64 : VERSION
}

function extra64(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0)
  const extra = Buffer.alloc(4 + 8 * numbers.length)
  extra.writeUInt16LE(EXTRA_64, 0)
  extra.writeUInt16LE(8 * numbers.length, 2)
  for (const [index, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index)
  return extra
}

/** The exact time in UTC. The other field has no time zone and steps of two seconds. */
function extraTime(modified: number): Buffer {
  const extra = Buffer.alloc(9)
  extra.writeUInt16LE(EXTRA_TIME, 0)
  extra.writeUInt16LE(5, 2)
  extra.writeUInt8(1, 4)
  extra.writeInt32LE(Math.min(Math.floor(modified / 1000), 2 ** 31 - 1), 5)
  return extra
}

/** In UTC, from 1980 to 2107: the date in the upper half, the time in the lower. */
function dosTime(modified: number): number {
  const date = new Date(Math.min(Math.max(modified, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return ((day << 16) | time) >>> 0
}

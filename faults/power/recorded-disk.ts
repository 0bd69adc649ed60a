import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { numberAt, type SystemCall, stringsOf } from './system-calls.ts'

/** A disk writes a sector completely or not at all. */
const SECTOR = 512

interface Write {
  readonly at: number
  readonly bytes: Buffer
  /** The number of the call that made it. */
  readonly call: number
}

/** A file, independent of its name. */
class File {
  /** The content that survives every power cut. */
  durable = Buffer.alloc(0)
  /** Writes that are not synced. After a truncation: the new length. */
  pending: (Write | { readonly length: number; readonly call: number })[] = []
  length = 0
}

type Entry = File | 'folder'

interface FolderChange {
  readonly folder: string
  readonly call: number
  apply(entries: Map<string, Entry>): void
}

export interface Cut {
  /** Unsynced writes: how many are lost, and how many are partly there. */
  readonly dropped: number
  readonly torn: number
}

/**
 * A disk in memory. It repeats what a recorded process did to a folder. At a power cut it may forget unsynced writes, sector by
 * sector, and unsynced changes of folders, the latest first.
 */
export class RecordedDisk {
  readonly #root: string
  readonly #syncs: boolean
  /** The files as programs see them. */
  readonly #seen = new Map<string, Entry>()
  readonly #durable = new Map<string, Entry>()
  #changes: FolderChange[] = []
  readonly #open = new Map<
    number,
    { readonly entry: Entry; readonly path: string; at: number; append: boolean }
  >()
  #call = 0

  /** `syncs: false` is a disk that ignores syncs. */
  constructor(root: string, { syncs }: { syncs: boolean }) {
    this.#root = root
    this.#syncs = syncs
    for (const entries of [this.#seen, this.#durable]) entries.set(root, 'folder')
  }

  apply({ name, args, result, began }: SystemCall): void {
    const call = this.#call++
    if (result < 0) return
    const strings = stringsOf(args)
    const paths = strings.map(String)
    const file = this.#open.get(numberAt(args, 0))
    if (name === 'openat' || name === 'open' || name === 'creat')
      this.#opened(paths[0] ?? '', args, result, call)
    else if (name === 'close') this.#open.delete(numberAt(args, 0))
    else if (name.startsWith('rename')) this.#renamed(paths[0] ?? '', paths[1] ?? '', call)
    else if (name.startsWith('unlink') || name === 'rmdir') this.#change(paths[0] ?? '', call, undefined)
    else if (name.startsWith('mkdir')) this.#change(paths[0] ?? '', call, 'folder')
    else if (!file) return
    else if (name === 'fsync' || name === 'fdatasync') this.#synced(file, began)
    else if (file.entry === 'folder') return
    else if (name === 'ftruncate' || name === 'fallocate') this.#resized(file.entry, name, args, call)
    else this.#written(file, name, args, Buffer.concat(strings), call)
  }

  /** Writes the files after a power cut into a folder. `share` is the part of the unsynced writes that survives. */
  async cut(into: string, share: number): Promise<Cut> {
    const entries = new Map(this.#durable)
    // Journals keep the order of changes of folders.
    for (const change of this.#changes.slice(0, Math.round(this.#changes.length * share)))
      change.apply(entries)
    let [dropped, torn] = [0, 0]
    for (const [path, entry] of entries) {
      const target = join(into, relative(this.#root, path))
      if (entry === 'folder') {
        await mkdir(target, { recursive: true })
        continue
      }
      const { bytes, ...lost } = contentOf(entry, () => Math.random() < share)
      dropped += lost.dropped
      torn += lost.torn
      // The database makes this file again from its log.
      if (path.endsWith('-shm')) continue
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, bytes)
    }
    return { dropped, torn }
  }

  #isOurs(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`)
  }

  #opened(path: string, args: string, descriptor: number, call: number): void {
    if (!this.#isOurs(path)) return
    if (!this.#seen.has(path) && args.includes('O_CREAT')) this.#change(path, call, new File())
    const entry = this.#seen.get(path)
    if (!entry) return
    if (entry !== 'folder' && args.includes('O_TRUNC')) {
      entry.pending.push({ length: 0, call })
      entry.length = 0
    }
    this.#open.set(descriptor, { entry, path, at: 0, append: args.includes('O_APPEND') })
  }

  #change(path: string, call: number, entry: Entry | undefined): void {
    if (!this.#isOurs(path)) return
    const apply = (entries: Map<string, Entry>) =>
      void (entry === undefined ? entries.delete(path) : entries.set(path, entry))
    apply(this.#seen)
    this.#changes.push({ folder: dirname(path), call, apply })
  }

  #renamed(from: string, to: string, call: number): void {
    const entry = this.#seen.get(from)
    if (!entry || !this.#isOurs(to)) return
    const apply = (entries: Map<string, Entry>) => {
      entries.delete(from)
      entries.set(to, entry)
    }
    apply(this.#seen)
    this.#changes.push({ folder: dirname(to), call, apply })
  }

  #resized(file: File, name: string, args: string, call: number): void {
    const length =
      name === 'ftruncate' ? numberAt(args, 1) : Math.max(file.length, numberAt(args, 2) + numberAt(args, 3))
    file.pending.push({ length, call })
    file.length = length
  }

  #written(
    opened: { readonly entry: Entry; at: number; append: boolean },
    name: string,
    args: string,
    bytes: Buffer,
    call: number,
  ): void {
    const file = opened.entry as File
    const placed = name.startsWith('p')
    const at = placed ? numberAt(args, -1) : opened.append ? file.length : opened.at
    if (!placed) opened.at = at + bytes.length
    file.pending.push({ at, bytes, call })
    file.length = Math.max(file.length, at + bytes.length)
  }

  /** Syncs all writes that ended before the sync began. */
  #synced({ entry, path }: { entry: Entry; path: string }, before: number): void {
    if (!this.#syncs) return
    if (entry === 'folder') {
      const isSynced = ({ folder, call }: FolderChange) => folder === path && call < before
      for (const change of this.#changes.filter(isSynced)) change.apply(this.#durable)
      this.#changes = this.#changes.filter((change) => !isSynced(change))
      return
    }
    const done = entry.pending.filter(({ call }) => call < before)
    entry.durable = contentOf({ ...entry, pending: done } as File, () => true).bytes
    entry.pending = entry.pending.filter(({ call }) => call >= before)
  }
}

/** The bytes of a file, with each sector of the pending writes kept or lost. */
function contentOf(
  { durable, pending }: Pick<File, 'durable' | 'pending'>,
  isThere: () => boolean,
): { bytes: Buffer<ArrayBuffer>; dropped: number; torn: number } {
  const most = pending.reduce(
    (length, one) => Math.max(length, 'length' in one ? one.length : one.at + one.bytes.length),
    durable.length,
  )
  const bytes = Buffer.alloc(most)
  durable.copy(bytes)
  let [length, dropped, torn] = [durable.length, 0, 0]
  for (const one of pending) {
    if ('length' in one) {
      if (!isThere()) continue
      bytes.fill(0, Math.min(one.length, length))
      length = one.length
      continue
    }
    let [there, sectors] = [0, 0]
    for (let from = 0; from < one.bytes.length; from += SECTOR, sectors++) {
      if (!isThere()) continue
      there++
      const part = one.bytes.subarray(from, from + SECTOR)
      part.copy(bytes, one.at + from)
      length = Math.max(length, one.at + from + part.length)
    }
    if (there === 0) dropped++
    else if (there < sectors) torn++
  }
  return { bytes: bytes.subarray(0, length), dropped, torn }
}

import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'

/** The same path in a checkout and in the package. */
const FOLDER = new URL('../../../dist/gallery/', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export interface GalleryFile {
  readonly type: string
  readonly bytes: Buffer
  /** Undefined if compression saves too little. */
  readonly gzipped: Buffer | undefined
}

/** The files of the built web page, by path. Undefined if it was not built. */
export async function readGallery(folder = FOLDER): Promise<ReadonlyMap<string, GalleryFile> | undefined> {
  const names: string[] = await readdir(folder, { recursive: true }).catch(() => [])
  const files = new Map<string, GalleryFile>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const gzipped = names.includes(`${name}.gz`) ? await readFile(new URL(`${name}.gz`, folder)) : undefined
    files.set(name, { type, bytes: await readFile(new URL(name, folder)), gzipped })
  }
  return files.has('index.html') ? files : undefined
}

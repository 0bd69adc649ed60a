import { readdir } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { AppError } from '../errors.ts'
import { pictureFile } from './picture-file.ts'
import type { Submission } from './submission.ts'

const EXTENSIONS = new Set(['.png', '.jpg', '.jpeg', '.webp'])
const natural = new Intl.Collator('en', { numeric: true })

/**
 * One root with all pictures of a folder and its subfolders, in natural order: `2.png` before `10.png`. The name of a
 * page is the path of its file, without the ending. Its address is that path under `baseUrl`, or a `file:` address.
 */
export async function readFolder(folder: string, baseUrl: string | undefined): Promise<Submission> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(
      (entry) =>
        (entry.isFile() || entry.isSymbolicLink()) && EXTENSIONS.has(extname(entry.name).toLowerCase()),
    )
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
    .sort((a, b) => natural.compare(a, b) || (a < b ? -1 : 1))
  if (paths.length === 0) {
    throw new AppError('bad_request', `${folder} contains no pictures (${[...EXTENSIONS].join(', ')})`)
  }
  return {
    jobs: paths.map((path) => {
      const name = path.slice(0, -extname(path).length).replaceAll(sep, '/')
      return { url: pageAddress(name, path, baseUrl), name, image: pictureFile(folder, path) }
    }),
  }
}

function pageAddress(name: string, path: string, baseUrl: string | undefined): string {
  const escaped = (text: string) => text.split(/[/\\]/).map(encodeURIComponent).join('/')
  return baseUrl === undefined
    ? `file:///${escaped(path)}`
    : `${baseUrl.replace(/\/+$/, '')}/${escaped(name)}`
}

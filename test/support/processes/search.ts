import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The files below a folder that were written since a time and contain one of these texts, as UTF-8 or as UTF-16. Files that
 * disappear meanwhile are left out.
 */
export async function filesWith(folder: string, texts: readonly string[], since: number): Promise<string[]> {
  const needles = texts.flatMap((text) => [Buffer.from(text), Buffer.from(text, 'utf16le')])
  const found: string[] = []
  const search = async (place: string): Promise<void> => {
    for (const entry of await readdir(place, { withFileTypes: true }).catch(() => [])) {
      const path = join(place, entry.name)
      if (entry.isDirectory()) await search(path)
      if (!entry.isFile()) continue
      const written = await stat(path).catch(() => undefined)
      if (!written || written.mtimeMs < since) continue
      const bytes = await readFile(path).catch(() => Buffer.alloc(0))
      if (needles.some((needle) => bytes.includes(needle))) found.push(path)
    }
  }
  await search(folder)
  return found
}

/** The command lines of a process and of everything that it has started, as `ps` shows them to everyone. */
export function commandLines(pid: number): string[] {
  const shown = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const all = shown.split('\n').flatMap((line) => {
    const [, own, parent, args = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? []
    return own === undefined ? [] : { pid: Number(own), parent: Number(parent), args }
  })
  const below = (top: number): string[] =>
    all.filter(({ parent }) => parent === top).flatMap((child) => [child.args, ...below(child.pid)])
  return [...all.filter((each) => each.pid === pid).map(({ args }) => args), ...below(pid)]
}

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makePng } from './results.ts'

/** Writes `results.ndjson` and small pictures beside it; returns its path. */
export async function writeImport(
  folder: string,
  lines: readonly (string | object)[],
  pictures: Record<string, Buffer | string> = {},
): Promise<string> {
  for (const [path, content] of Object.entries({ 'a.png': await makePng(), ...pictures })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const file = join(folder, 'results.ndjson')
  await writeFile(
    file,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  )
  return file
}

export const page = (more: object = {}) => ({
  url: { url: 'https://example.com/', name: 'Home' },
  image: 'a.png',
  ...more,
})

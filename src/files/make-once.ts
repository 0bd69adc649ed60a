import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './durable-folder.ts'

/** Makes a small file, complete and durable, readable by its owner only. Returns its content: processes that make it at the same time get the same. */
export async function makeOnce(path: string, text: string): Promise<string> {
  const folder = dirname(path)
  const draft = join(folder, `.${basename(path).replace(/^\./, '')}-${randomBytes(6).toString('hex')}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await syncFolder(folder)
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
  return await readFile(path, 'utf8')
}

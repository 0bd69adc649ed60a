import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { AppError } from '../errors.ts'
import type { FoundBrowser } from './camera.ts'
import { unpackBrowser } from './unpack-browser.ts'

const NAMES = ['google-chrome', 'google-chrome-stable', 'chrome', 'chromium', 'chromium-browser']
const OTHER_PLACES = [
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Throws AppError `no_browser`, saying what to install. */
export async function findBrowser({
  chromiumPath,
  dataDir,
  env,
}: {
  chromiumPath: string | undefined
  dataDir: string
  env: Readonly<Record<string, string>>
}): Promise<FoundBrowser> {
  if (chromiumPath !== undefined) {
    if (await isExecutable(chromiumPath)) return { path: chromiumPath, env }
    throw new AppError('no_browser', `CHROMIUM_PATH=${chromiumPath} is not a program that can be started.`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...OTHER_PLACES]
  for (const path of places) if (await isExecutable(path)) return { path, env }
  const unpacked = await unpackBrowser(dataDir, env)
  if (unpacked) return unpacked
  throw new AppError(
    'no_browser',
    'There is no browser to take pictures with. Install Chrome or Chromium, run npm install @sparticuz/chromium ' +
      '(Linux, x64), or name one with CHROMIUM_PATH.',
  )
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

import { randomUUID } from 'node:crypto'
import { glob, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from './browser.ts'
import { makeCacheFolder } from './cache-folder.ts'

/** The family that comes with the package. A page that names it gets it, and a machine without any has it at last. */
const OWN_FONTS = fileURLToPath(new URL('../../assets/fonts', import.meta.url))
const FONT_FILES = '**/*.{ttf,otf,ttc,pfb,pcf.gz}'

/** The first font of the machine that is found; undefined where it has none. */
export async function findMachineFont(env: Environment): Promise<string | undefined> {
  const { HOME = homedir(), XDG_DATA_HOME = join(HOME, '.local', 'share') } = env
  const folders =
    process.platform === 'darwin'
      ? ['/System/Library/Fonts', '/Library/Fonts']
      : ['/usr/share/fonts', '/usr/local/share/fonts', join(XDG_DATA_HOME, 'fonts'), join(HOME, '.fonts')]
  for (const cwd of folders) {
    try {
      for await (const file of glob(FONT_FILES, { cwd })) return join(cwd, file)
    } catch {
      // One that may not be read is one that the browser cannot read either.
    }
  }
  return undefined
}

/** The environment of a browser, which adds the family that comes along to the fonts of the machine. */
export async function withFonts(env: Environment, dataDir: string): Promise<Environment> {
  // The operator may have chosen fonts; macOS has some, and another way to know them.
  if (process.platform !== 'linux' || env['FONTCONFIG_FILE'] || env['FONTCONFIG_PATH']) return env
  try {
    const cache = await makeCacheFolder(dataDir, env)
    return { ...env, FONTCONFIG_FILE: await writeFontsConfig(join(cache, 'fonts.conf'), [OWN_FONTS], cache) }
  } catch {
    // A disk that is full or read-only is no reason not to take pictures.
    return env
  }
}

/** Fonts of the machine, and those of these folders. Answers the path. */
export async function writeFontsConfig(
  path: string,
  folders: readonly string[],
  cache: string,
): Promise<string> {
  const text = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
${folders.map((folder) => `  <dir>${escapeXml(folder)}</dir>`).join('\n')}
  <cachedir>${escapeXml(join(cache, 'fonts-cache'))}</cachedir>
</fontconfig>
`
  // Others may be reading it at this moment.
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return path
  const beside = `${path}-${randomUUID()}`
  await writeFile(beside, text)
  await rename(beside, path)
  return path
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

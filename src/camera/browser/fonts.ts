import { randomUUID } from 'node:crypto'
import { glob, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from './browser.ts'
import { makeCacheFolder } from './cache-folder.ts'

/** The fonts that come with the package: for pages that name them, and for machines without fonts. */
const OWN_FONTS = fileURLToPath(new URL('../../../assets/fonts', import.meta.url))
const FONT_FILES = '**/*.{ttf,otf,ttc,pfb,pcf.gz}'

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
      // The browser cannot read this folder either.
    }
  }
  return undefined
}

/** The environment of a browser. It adds the fonts of the package to those of the machine. */
export async function withFonts(env: Environment, dataDir: string): Promise<Environment> {
  // The operator may have chosen fonts. macOS has fonts, and does not use fontconfig.
  if (process.platform !== 'linux' || env['FONTCONFIG_FILE'] || env['FONTCONFIG_PATH']) return env
  try {
    const cache = await makeCacheFolder(dataDir, env)
    return { ...env, FONTCONFIG_FILE: await writeFontsConfig(join(cache, 'fonts.conf'), [OWN_FONTS], cache) }
  } catch {
    // If the disk is full or read-only, pictures are taken without these fonts.
    return env
  }
}

/** Writes a configuration with the fonts of the machine and of these folders. Returns its path. */
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
  // Written to another file first: a browser may be reading it.
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return path
  const beside = `${path}-${randomUUID()}`
  await writeFile(beside, text)
  await rename(beside, path)
  return path
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

// @module-tag browser

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFontsConfig } from '../../../src/camera/browser/fonts.ts'
import { findTestBrowser } from '../../support/browser/test-browser.ts'
import { openTestCamera, paint, readPixels, serveSite } from '../../support/camera/camera.ts'
import { makeFolder } from '../../support/processes/workspace.ts'

const FONTS = new URL('../../../assets/fonts', import.meta.url).pathname

/** Text as the machine without fonts would draw it: with none of the installed fonts. */
async function writeConfig(folders: readonly string[]): Promise<string> {
  const folder = await makeFolder()
  const path = await writeFontsConfig(join(folder, 'fonts.conf'), folders, folder)
  await writeFile(path, (await readFile(path, 'utf8')).replace(/<include.*<\/include>/, ''))
  return path
}

test.runIf(process.platform === 'linux')(
  'on a machine without fonts, text is drawn in the bundled font',
  async () => {
    const site = await serveSite({
      '/': paint('#ffffff', '<p style="font:200px sans-serif;margin:0">illi</p>'),
    })
    const ink = async (config: string) => {
      const found = await findTestBrowser()
      const camera = openTestCamera({
        allow: `site.test:${site.port}`,
        find: async () => ({
          ...found,
          prepare: async () => ({ ...(await found.prepare()), FONTCONFIG_FILE: config }),
        }),
      })
      try {
        const { bytes } = await camera.take(`http://site.test:${site.port}/`)
        const pixels = await readPixels(bytes)
        return Array.from({ length: 40 }, (_, x) => pixels.at(x * 10, 150)).filter(
          (colour) => colour !== '#ffffff',
        )
      } finally {
        await camera.close()
      }
    }
    try {
      const [none, own] = [await ink(await writeConfig([])), await ink(await writeConfig([FONTS]))]
      expect(own.length).toBeGreaterThan(0)
      expect(none).not.toEqual(own)
    } finally {
      await site.close()
    }
  },
)

import { readConfig } from '../../src/config/config.ts'

export const { limits: LIMITS } = readConfig({}, { serving: false })
export const SILENT = { info: () => {}, warn: () => {}, error: () => {} }
export const REQUEST = {
  screenshotParameter: { width: 1_200, height: 720 },
  urls: [{ url: 'https://example.com/', name: 'Home' }],
}

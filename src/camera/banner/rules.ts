import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { CompactCMPRuleset, Config, IndexedCMPRuleset } from '@duckduckgo/autoconsent'

const PACKAGE = '@duckduckgo/autoconsent'

/** It looks twice, half a second apart: the page has loaded before. It clicks what declines, and never what accepts. */
export const CONFIG: Partial<Config> = {
  autoAction: 'optOut',
  detectRetries: 1,
  enablePrehide: false,
  heuristicMode: 'reject',
  isMainWorld: false,
}

export interface Rules {
  /** Runs in a frame. It expects `autoconsentSendMessage`, and gives `autoconsentReceiveMessage`. */
  readonly script: string
  /** The rules for a frame of this address. */
  of(frame: { url: string; mainFrame: boolean }): CompactCMPRuleset
}

let loaded: Promise<Rules> | undefined

/** They are loaded with the first page that asks for them. */
export function loadRules(): Promise<Rules> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Rules> {
  const { resolve } = createRequire(import.meta.url)
  // Its package.json names no way to this file; its documentation finds it in this way.
  const script = new URL('autoconsent.playwright.js', import.meta.resolve(PACKAGE))
  const [source, rules, { filterCompactRules }] = await Promise.all([
    readFile(fileURLToPath(script), 'utf8'),
    readFile(resolve(`${PACKAGE}/rules/compact-rules.json`), 'utf8'),
    import('@duckduckgo/autoconsent'),
  ])
  const all = JSON.parse(rules) as IndexedCMPRuleset
  return { script: source, of: (frame) => filterCompactRules(all, frame) }
}

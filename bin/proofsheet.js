#!/usr/bin/env node
// In a checkout the sources run as they are; in the published package only dist/ exists. Written so that an
// old Node can read it and say what is missing instead of failing on syntax.
import { existsSync } from 'node:fs'
import module from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    `proofsheet needs Node 24 or newer; this is ${process.version}.\n` +
      'In a checkout, `npm ci` brings Node 24 along: run `npx proofsheet …` or `npm start`, not `node bin/proofsheet.js`.\n',
  )
  process.exit(1)
}
// Starts in half the time from the second time on. A machine that forbids it starts as before.
module.enableCompileCache()
const source = new URL('../src/main.ts', import.meta.url)
await import(existsSync(source) ? source.href : new URL('../dist/main.js', import.meta.url).href)

/** `npm run bench`, or `npm run bench -- sign` for one of them. Figures are ratios within one run. */
const benches: Record<string, () => Promise<{ run(): Promise<void> }>> = {
  sign: () => import('./sign.ts'),
  read: () => import('./read.ts'),
  size: () => import('./size.ts'),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in benches))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no bench ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}\n`,
  )
  process.exit(2)
}
for (const [name, load] of Object.entries(benches)) {
  if (asked.length === 0 || asked.includes(name)) await (await load()).run()
}

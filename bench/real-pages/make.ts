import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REAL_PAGES, type RealPage } from './list.ts'

// Brings the packages that the pages are in. Each is brought once, to the user's cache, and used again.

const run = promisify(execFile)
const LIMITS = { timeout: 300_000, maxBuffer: 64_000_000 }
/** Of what a Debian package asks for, what its pages show. */
const SHOWN = /-doc(-[\d.]+)?$|^libjs-/
const NOTHING_ELSE = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances']

/** Of this user, beside all else that can be brought again. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'proofsheet-real-pages')

export interface RealFolders {
  /** The folder that is served as `/npm/NAME@VERSION/` or as `/debian/`. */
  readonly folders: Readonly<Record<string, string>>
  /** Those whose packages could be brought. */
  readonly pages: readonly RealPage[]
}

/** Answers where the packages are. Debian's pages are left out where there is no apt. */
export async function makeRealPages(pages: readonly RealPage[] = REAL_PAGES): Promise<RealFolders> {
  await mkdir(CACHE, { recursive: true })
  const folders: Record<string, string> = {}
  for (const { from, package: name, version } of pages) {
    if (from !== 'npm' || folders[mountOf({ from, package: name, version })]) continue
    const folder = join(CACHE, `${name.replaceAll('/', '+')}@${version}`)
    await makeOnce(folder, (made) => unpackNpm(`${name}@${version}`, made))
    folders[mountOf({ from, package: name, version })] = folder
  }
  if (!pages.some(({ from }) => from === 'debian')) return { folders, pages }
  // All of the list, however few are asked for: they are in one folder.
  const debian = [
    ...new Set(REAL_PAGES.flatMap((page) => (page.from === 'debian' ? page.package : []))),
  ].sort()
  if (!(await hasApt())) {
    process.stderr.write('There is no apt here: pages from Debian are left out.\n')
    return { folders, pages: pages.filter(({ from }) => from !== 'debian') }
  }
  const digest = createHash('sha256').update(debian.join('\n')).digest('hex').slice(0, 16)
  const folder = join(CACHE, `debian-${digest}`)
  await makeOnce(folder, (made) => unpackDebian(debian, made))
  return { folders: { ...folders, '/debian/': folder }, pages }
}

/** The path that a package is served under. */
export function mountOf({ from, package: name, version }: Pick<RealPage, 'from' | 'package' | 'version'>) {
  return from === 'debian' ? '/debian/' : `/npm/${name}@${version}/`
}

/** A folder that is there is whole: it gets its name last. */
async function makeOnce(folder: string, fill: (made: string) => Promise<void>): Promise<void> {
  if (await exists(folder)) return
  process.stderr.write(`bringing ${folder} …\n`)
  const made = await mkdtemp(`${folder}-`)
  try {
    await fill(made)
    await rename(made, folder)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    // Another process was faster.
    if (!(await exists(folder))) throw error
  }
}

async function unpackNpm(spec: string, folder: string): Promise<void> {
  await run('npm', ['pack', '--silent', '--ignore-scripts', spec], { ...LIMITS, cwd: folder })
  const [archive = ''] = await readdir(folder)
  // The one folder that all is in is called `package`, or otherwise.
  await run('tar', ['--strip-components=1', '-xzf', archive], { ...LIMITS, cwd: folder })
  await rm(join(folder, archive))
}

/** All in one folder: they link to each other's files. */
async function unpackDebian(names: readonly string[], folder: string): Promise<void> {
  const archives = join(folder, 'archives')
  await mkdir(archives)
  const download = async () => {
    const all = [...new Set([...names, ...(await shownBy(names))])]
    await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', ...all], { ...LIMITS, cwd: archives })
  }
  // The first fails where the list of packages is old.
  await download().catch(async () => {
    await run('apt-get', ['update'], LIMITS)
    await download()
  })
  for (const name of await readdir(archives)) {
    await run('dpkg-deb', ['-x', join(archives, name), folder], LIMITS)
  }
  await rm(archives, { recursive: true })
}

/** Packages that those packages need for their pages. */
async function shownBy(names: readonly string[]): Promise<string[]> {
  const options = NOTHING_ELSE.map((kind) => `--no-${kind}`)
  const { stdout } = await run('apt-cache', ['depends', '--recurse', ...options, ...names], LIMITS)
  return stdout.split('\n').filter((line) => SHOWN.test(line) && !/[\s<]/.test(line))
}

async function hasApt(): Promise<boolean> {
  return await run('apt-get', ['--version']).then(
    () => true,
    () => false,
  )
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

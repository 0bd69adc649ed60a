import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the path of the program that tests start as a process. */
    program: string
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** Where the sources find their packages. */
const BUILT = join(ROOT, 'dist')
/** Packages with parts that are not modules: native ones, threads, programs, files. */
const NOT_BUNDLED = [/^sharp$/, /^playwright-core/, /^pg$/, /^pino/, /^@sparticuz\//]
/** Less to read and to compile: a process starts 10 % faster. */
const WITHOUT_SPACES = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const
const START = `import module from 'node:module'
module.enableCompileCache(\`\${import.meta.dirname}/compiled\`)
await import('./main.js')
`

/**
 * Before all tests: the first test that needs the program builds it. It is the sources, bundled into few files: a process of them starts
 * in a third of the time, and the tests start hundreds. The unbundled sources are run in the tests of the README.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let built: Promise<string> | undefined
  const door = createServer((_request, answer) => {
    built ??= buildProgram()
    built.then(
      (folder) => answer.end(join(folder, 'start.js')),
      (error: Error) => answer.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  project.provide('program', `http://127.0.0.1:${(door.address() as AddressInfo).port}`)
  return async () => {
    door.close()
    const folder = await built?.catch(() => undefined)
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

/** The thread is bundled, too: its program is beside that of the process. */
function isThread(id: string): boolean {
  return id.startsWith(join(ROOT, 'src', 'camera', 'thread'))
}

async function buildProgram(): Promise<string> {
  await mkdir(BUILT, { recursive: true })
  const dir = await mkdtemp(join(BUILT, '.program-'))
  const bundle = await rolldown({
    input: {
      main: join(ROOT, 'src', 'main.ts'),
      'in-thread': join(ROOT, 'src', 'camera', 'thread', 'in-thread.ts'),
    },
    platform: 'node',
    external: NOT_BUNDLED,
    logLevel: 'silent',
    plugins: [
      {
        name: 'sources find their files where they lie',
        transform: (code, id) =>
          id.startsWith(join(ROOT, 'src')) && !isThread(id) && code.includes('import.meta.url')
            ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            : undefined,
      },
    ],
  })
  await bundle.write({ dir, format: 'esm', keepNames: true, minify: WITHOUT_SPACES })
  await bundle.close()
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  await writeFile(join(dir, 'start.js'), START)
  return dir
}

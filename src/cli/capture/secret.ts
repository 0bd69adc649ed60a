import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { readVariable } from '../../config/config.ts'
import { AppError } from '../../errors.ts'
import { printable, wrong } from '../say.ts'

/** A secret from `@file` or `env:NAME`. Messages do not repeat the argument: it may be a secret. */
export async function readSecret(option: string, given: string): Promise<string> {
  if (given.startsWith('@')) {
    const text = await readText(option, given.slice(1))
    return text.replace(/\r?\n$/, '')
  }
  const [, name] = /^env:(\w+)$/.exec(given) ?? []
  if (name === undefined) {
    throw wrong(
      `${option}: everyone on this machine can read the arguments of a command. ` +
        `Put the secret into a file or a variable, and give @file or env:VARIABLE`,
    )
  }
  const value = readVariable(name)
  if (!value) throw wrong(`${option}: the variable ${name} is not set`)
  return value
}

/** The text of a file that an option names. Some editors put a byte order mark before it, which is removed. */
export async function readText(option: string, path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no file' : `cannot read (${code})`
    throw wrong(`${option}: ${why} ${printable(path)}`)
  }
}

/** Asks on the terminal, without showing the typed characters. */
export async function askSecret(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw wrong(`${option} is missing. Give @file or env:VARIABLE`)
  }
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await new Promise((resolve, reject) => {
      const stop = () => reject(new AppError('unavailable', 'stopped'))
      terminal.once('SIGINT', stop).once('close', stop)
      terminal.question('').then(resolve, reject)
    })
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

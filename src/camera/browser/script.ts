import { open } from 'node:fs/promises'

const LOOK_BYTES = 4_096
/** `/usr/lib/chromium/chromium-headless-shell "$@"`, and nothing else. */
const PASSES_ON = /^(?:exec\s+)?(\/[^\s"'$`\\;&|<>()*?[\]{}~]+)\s+"\$@"$/

/**
 * The program that a script starts, if the script does nothing else. Else the path itself. Debian's headless shell is
 * such a script: killing the script would leave the browser running.
 */
export async function withoutScript(path: string): Promise<string> {
  const [first = '', ...lines] = (await readBeginning(path)).split('\n').map((line) => line.trim())
  if (!/^#!\s*\/bin\/(ba|da)?sh\b/.test(first)) return path
  const commands = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return (commands.length === 1 && PASSES_ON.exec(commands[0] ?? '')?.[1]) || path
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(LOOK_BYTES), 0, LOOK_BYTES, 0)) ?? {}
    // A longer script does more than start a program.
    return buffer && bytesRead && bytesRead < LOOK_BYTES ? buffer.toString('utf8', 0, bytesRead) : ''
  } finally {
    await file?.close()
  }
}

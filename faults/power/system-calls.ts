/** One recorded system call: a change of a file, or output. Numbered in the order in which the calls ended. */
export interface SystemCall {
  readonly name: string
  /** The text of the arguments in the log. */
  readonly args: string
  readonly result: number
  /** The number of calls that had ended before this one began. A sync covers only these. */
  readonly began: number
}

export const TRACED =
  'openat,open,creat,close,write,pwrite64,writev,pwritev,ftruncate,fallocate,' +
  'rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync'

/** Options of strace: complete strings, as bytes, all threads in one file. */
export const STRACE = ['-f', '-xx', '-s', '100000000', '-e', `trace=${TRACED}`, '-e', 'signal=none']

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/
const UNFINISHED = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/

/** Reads the log of strace. */
export function* readCalls(lines: Iterable<string>): Generator<SystemCall> {
  const underWay = new Map<string, { readonly args: string; readonly began: number }>()
  let ended = 0
  for (const line of lines) {
    const unfinished = UNFINISHED.exec(line)
    if (unfinished) {
      underWay.set(unfinished[1] ?? '', { args: unfinished[3] ?? '', began: ended })
      continue
    }
    const resumed = RESUMED.exec(line)
    const begun = resumed && underWay.get(resumed[1] ?? '')
    const [, , name = '', rest = '', result = ''] = resumed ?? WHOLE.exec(line) ?? []
    if (name === '' || (resumed && !begun)) continue
    yield {
      name,
      args: (begun?.args ?? '') + rest,
      result: Number(result),
      began: begun?.began ?? ended,
    }
    ended++
  }
}

/** The strings of some arguments, as bytes. */
export function stringsOf(args: string): Buffer[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
    Buffer.from(text.replaceAll('\\x', ''), 'hex'),
  )
}

/** The argument at this index, as a number. */
export function numberAt(args: string, index: number): number {
  return Number(args.split(', ').at(index))
}

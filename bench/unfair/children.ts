import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { spawnNode } from '../processes.ts'

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** The child ends with this process in any case. */
export function keep(child: ChildProcess): ChildProcess {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** A child process that answers each message. */
export interface Child<Question, Answer> {
  readonly pid: number
  ask(question: Question): Promise<Answer>
  stop(): Promise<void>
}

/** Runs a file of this folder. */
export function startChild<Question, Answer>(file: string): Child<Question, Answer> {
  const child = keep(spawnNode(`unfair/${file}`, []))
  child.stdout?.pipe(process.stderr)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  child.once('exit', () => failed.reject(new Error(`${file} ended`)))
  return {
    pid: child.pid ?? Number.NaN,
    async ask(question) {
      const answered = Promise.withResolvers<Answer>()
      child.once('message', answered.resolve as (message: unknown) => void)
      child.send(question as object)
      return await Promise.race([answered.promise, failed.promise])
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

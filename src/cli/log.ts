import { type Logger, pino } from 'pino'

/** Logs to stderr: JSON lines, or readable lines on a terminal. stdout is for the output of commands. */
export async function openLog(level: string): Promise<Logger> {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }))
  const { default: pretty } = await import('pino-pretty')
  const stream = pretty({
    destination: 2,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,reqId,method,path,status,ms',
    messageFormat: (line) => {
      const { msg, method, path, status, ms, reqId } = line
      return method === undefined ? String(msg) : `${method} ${path} ${status} in ${ms} ms (${reqId})`
    },
  })
  return pino(options, stream)
}

import { type Logger, pino } from 'pino'

/** JSON lines on stderr; readable ones where a person watches. stdout is for what commands answer. */
export async function openLog(level: string): Promise<Logger> {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }))
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }),
  )
}

import { text as readAll } from 'node:stream/consumers'
import { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { duration, httpAddress, integer } from '../../config/values.ts'
import type { ScreenshotParameter } from '../../contract/capture-options.ts'
import { defaultName } from '../../contract/page-names.ts'
import { parseScreenshotRequest, type ScreenshotRequest } from '../../contract/screenshot-request.ts'
import { isFinal, type RootStatus } from '../../contract/status.ts'
import { AppError } from '../../errors.ts'
import type { ExitCode } from '../exit-code.ts'
import { valueOption } from '../options.ts'
import { createProgress } from '../progress.ts'
import { projectOption } from '../project-option.ts'
import { nextSignal } from '../signals.ts'
import { counted, formatTable, printable } from '../table.ts'
import { describeSeen } from './describe-seen.ts'
import type { CaptureDesk } from './desk.ts'
import { captureHere } from './here.ts'
import { savePictures } from './save-pictures.ts'
import { captureThere } from './there.ts'

export function captureCommand(finish: (code: ExitCode) => void): Command {
  return new Command('capture')
    .description('Capture pages now and show the progress.')
    .addOption(projectOption('the project they belong to'))
    .option('--width <pixels>', 'of the browser window', valueOption(integer(1, 16_384)), 1_200)
    .option('--height <pixels>', 'of the browser window', valueOption(integer(1, 16_384)), 720)
    .option('--full-page', 'the whole page, not only what the window shows')
    .option(
      '--loading-time <time>',
      'the longest time for one page, such as 30s',
      valueOption(duration('1ms', '10m')),
    )
    .option('--fail-on-status', 'a page with an HTTP status of 400 or more fails')
    .option('--out <folder>', 'also save the pictures in this folder')
    .option('--server <address>', 'let this server capture; default: capture here', valueOption(httpAddress))
    .argument('<urls...>', 'addresses of pages; - reads them from the input, one per line')
    .addHelpText('after', EXPLANATION)
    .action(async (urls: string[], given: Given) => finish(await runCapture(urls, given)))
}

const EXPLANATION = `
  npx proofsheet capture https://example.com/ https://example.com/pricing
  npx proofsheet capture --project "My site" --full-page --out shots - < addresses.txt
  PROOFSHEET_KEY=… npx proofsheet capture --server https://shots.example.com https://example.com/
  CAPTURE_ALLOW=127.0.0.1:3000 npx proofsheet capture http://127.0.0.1:3000/

Without --server this process captures, into the storage of the settings (DATA_DIR, DATABASE_URL, …). A service may run
on the same storage. With --server, that server captures. PROOFSHEET_KEY is its API key (scope write).

A line of the input is an address, a space, and a name for the page. The name is optional. Pages on this machine or in a
private network are refused unless CAPTURE_ALLOW allows them, as in the last example.

Exit code: 0 all pages are captured, 1 some are not, 2 a mistake in the command.`

interface Given extends ScreenshotParameter {
  readonly project?: string
  readonly loadingTime?: number
  readonly failOnStatus?: true
  readonly out?: string
  readonly server?: string
}

/** What a command says of pages and pictures is a field of the request by the same name. */
async function runCapture(
  urls: readonly string[],
  { project, server, out, loadingTime, failOnStatus, ...screenshotParameter }: Given,
): Promise<ExitCode> {
  const request: ScreenshotRequest = {
    screenshotParameter,
    urls: (await readAddresses(urls)).map(({ url, name }) => ({
      url,
      name,
      ...(loadingTime !== undefined && { loadingTime }),
    })),
    ...(failOnStatus && { failOn: 'status' as const }),
  }
  if (server !== undefined) {
    const { clientKey } = readConfig(undefined, { serving: false })
    return await captureAll(await captureThere({ server, project, key: clientKey }), request, out)
  }
  return await captureHere(project, (desk, limits) => {
    refuseMistakes(request, limits)
    return captureAll(desk, request, out)
  })
}

async function captureAll(
  desk: CaptureDesk,
  request: ScreenshotRequest,
  out: string | undefined,
): Promise<ExitCode> {
  const stop = new AbortController()
  void nextSignal().then(() => stop.abort())
  const rootId = await desk.submit(request)
  const progress = createProgress({ title: 'Capturing', unit: 'pages', total: request.urls.length })
  let status: RootStatus | undefined
  let ended = 0
  try {
    for await (const next of desk.follow(rootId, stop.signal)) {
      const why = next.waiting?.detail
      if (why !== undefined && why !== status?.waiting?.detail) {
        progress.interrupt(() => process.stderr.write(`${printable(why)}\n`))
      }
      status = next
      const { done, failed } = next.counts
      progress.advance(done + failed - ended)
      ended = done + failed
    }
  } finally {
    progress.finish()
  }
  if (!status || !isFinal(status.state)) {
    throw new AppError(
      'unavailable',
      `stopped with ${ended} of ${counted(request.urls.length, 'page')} done. The others stay queued, as root ${rootId}`,
    )
  }
  const saved = out === undefined ? new Map() : await savePictures(desk, status, out)
  process.stdout.write(`${describe(status, saved)}\n`)
  const { done, total } = status.counts
  process.stderr.write(
    `${done === total ? 'Captured' : 'Not all captured'}: ${done} of ${counted(total, 'page')}, as root ${rootId}.\n`,
  )
  return done === total ? 0 : 1
}

function describe({ urls }: RootStatus, saved: ReadonlyMap<string, string>): string {
  const rows = urls.map((page) => {
    const { url, state, started, finished, uuid, reason, detail } = page
    const took =
      started !== undefined && finished !== undefined ? `${((finished - started) / 1000).toFixed(1)} s` : ''
    const picture = (uuid && (saved.get(uuid) ?? uuid)) ?? ''
    const result = reason ? `${reason}: ${printable(detail ?? '')}` : picture + describeSeen(page)
    return [state, took.padStart(6), printable(url), result]
  })
  return formatTable(['STATE', '  TIME', 'PAGE', 'RESULT'], rows)
}

/** `https://example.com/pricing Our prices`: the name is optional. */
async function readAddresses(urls: readonly string[]): Promise<{ url: string; name: string }[]> {
  const lines = urls.includes('-')
    ? [...urls.filter((url) => url !== '-'), ...(await readAll(process.stdin)).split('\n')]
    : urls
  const given = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  if (given.length === 0) throw new AppError('bad_request', 'there is no address to capture')
  return given.map((line) => {
    const [, url = '', name] = /^(\S+)(?:\s+(.*))?$/.exec(line) ?? []
    return { url, name: name ?? defaultName(url) }
  })
}

function refuseMistakes(
  request: ScreenshotRequest,
  limits: Parameters<typeof parseScreenshotRequest>[1],
): void {
  const { mistakes } = parseScreenshotRequest(request, limits)
  if (!mistakes) return
  const lines = mistakes.map(({ pointer, detail }) => {
    const [, index] = /^#\/urls\/(\d+)\//.exec(pointer) ?? []
    return `${index === undefined ? pointer : (request.urls[Number(index)]?.url ?? pointer)} ${detail}`
  })
  throw new AppError('bad_request', lines.map(printable).join('\n'))
}

import { Command, Option } from 'commander'
import { httpAddress } from '../../config/values.ts'
import { parseTime } from '../options.ts'
import { print, wrong } from '../say.ts'
import { type ExitCode, exitWith } from '../signals.ts'
import { projectOption } from '../storage.ts'
import { captureAll, submitAll, type Wanted } from './capture-all.ts'
import { captureHere, scheduleHere } from './here.ts'
import { addRequestOptions, type Given, once, textOption } from './options.ts'
import {
  type CaptureDesk,
  type Later,
  type Order,
  parseDelay,
  refuseMistakes,
  toOrders,
  withTime,
} from './orders.ts'
import { captureThere } from './there.ts'

export function captureCommand(): Command {
  const command = new Command('capture')
    .description('Capture pages now and show the progress, or later.')
    .argument('[urls...]', 'addresses of pages; - reads them from the input')
    .addOption(projectOption('the project they belong to'))
    .addOption(textOption('--from <file>', 'read addresses or requests from a file; - is the input'))
    .addOption(
      new Option('--server <address>', 'let this server capture; default: capture here').argParser(
        once(httpAddress),
      ),
    )
    .addOption(
      new Option('--at <time>', 'capture at this time: a service on the same storage does it, or the server')
        .argParser(once(parseTime))
        .conflicts('in'),
    )
    .addOption(new Option('--in <time>', 'capture later: in 30m, 2h or 7d').argParser(once(parseDelay)))
    .addOption(textOption('--out <folder>', 'also save the pictures in this folder'))
    .option('--json', 'print the result for programs')
  return addRequestOptions(command).addHelpText('after', EXPLANATION).action(exitWith(runCapture))
}

const EXPLANATION = `
  npx proofsheet capture https://example.com/ https://example.com/pricing
  npx proofsheet capture --size 390x844 --size 1280x800 --out shots --from addresses.txt
  npx proofsheet capture --full-page --hide '#chat' --effect roundcorners:12 --effect shadow https://example.com/
  PROOFSHEET_KEY=… npx proofsheet capture --server https://shots.example.com --from requests.json --json
  npx proofsheet capture --at "2027-01-31 02:00" https://example.com/
  CAPTURE_ALLOW=127.0.0.1:3000 npx proofsheet capture http://127.0.0.1:3000/

A file has one address per line. A name for the page may follow it, after a space. Or the file is JSON: a request, or a
list of requests, as for POST. Options of the command then replace those of every request, but not those of a single
page. docs/capturing.md explains each option.

Everyone on a machine can read the arguments of its commands. So secrets come from a file (@file) or from a variable
(env:VARIABLE), and the command asks for a missing password.

Without --server this process captures, into the storage of the settings (DATA_DIR, DATABASE_URL, …). A service may run
on the same storage. With --server, that server captures. PROOFSHEET_KEY is its API key (scope write). Pages on this
machine or in a private network are refused unless CAPTURE_ALLOW allows them, as in the last example.

With --at or --in nothing is captured now: the command prints the id of the root. A request in a file may do the same,
with scheduledTs or scheduleDescription. To cancel it, use the gallery.

Exit code: 0 all pages are captured (or scheduled), 1 some are not, 2 a mistake in the command.`

interface AllGiven extends Given, Wanted, Later {
  readonly from?: string
  readonly project?: string
  readonly server?: string
}

async function runCapture(
  urls: readonly string[],
  { project, server, out, json, at, in: delay, ...given }: AllGiven,
): Promise<ExitCode> {
  const orders = withTime(await toOrders(urls, given), { at, in: delay })
  const wanted = { ...(out !== undefined && { out }), ...(json && { json }) }
  const isLater = areLater(orders, wanted)
  const submitLater = async (desk: Pick<CaptureDesk, 'submit'>): Promise<ExitCode> => {
    for (const rootId of await submitAll(desk, orders)) print(rootId)
    return 0
  }
  if (server !== undefined) {
    const desk = await captureThere(server, project)
    return isLater ? await submitLater(desk) : await captureAll(desk, orders, wanted)
  }
  if (isLater) return await scheduleHere(project, orders, submitLater)
  return await captureHere(project, (desk, { config }) => {
    refuseMistakes(orders, config.limits)
    return captureAll(desk, orders, wanted)
  })
}

/** Whether the orders are for later. Throws `bad_request` if only some of them are. */
function areLater(orders: readonly Order[], { out, json }: Wanted): boolean {
  const later = orders.filter(({ request }) => request?.scheduledTs ?? request?.scheduleDescription)
  if (later.length === 0) return false
  if (later.length < orders.length) {
    throw wrong('some requests are for now and some for later: use one command for each')
  }
  if (out !== undefined || json) {
    throw wrong('--out and --json cannot be used with a later time: there are no pictures yet')
  }
  return true
}

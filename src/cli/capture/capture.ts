import { Command, Option } from 'commander'
import { readConfig } from '../../config/config.ts'
import { httpAddress } from '../../config/values.ts'
import { parseTime } from '../options.ts'
import { projectOption } from '../project-option.ts'
import type { ExitCode } from '../signals.ts'
import { captureAll, type Wanted } from './capture-all.ts'
import { captureHere } from './here.ts'
import { areLater, captureLater, type Later, parseDelay, scheduleHere, withTime } from './later.ts'
import { addRequestOptions, type Given, once } from './options.ts'
import { refuseMistakes, toOrders } from './orders.ts'
import { captureThere } from './there.ts'

export function captureCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('capture')
    .description('Capture pages now and show the progress, or later.')
    .argument('[urls...]', 'addresses of pages; - reads them from the input')
    .addOption(projectOption('the project they belong to'))
    .addOption(
      new Option('--from <file>', 'read addresses or requests from a file; - is the input').argParser(
        once(String),
      ),
    )
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
    .addOption(new Option('--out <folder>', 'also save the pictures in this folder').argParser(once(String)))
    .option('--json', 'print the result for programs')
  return addRequestOptions(command)
    .addHelpText('after', EXPLANATION)
    .action(async (urls: string[], given: AllGiven) => finish(await runCapture(urls, given)))
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
  if (server !== undefined) {
    const { clientKey } = readConfig(undefined, { serving: false })
    const desk = await captureThere({ server, project, key: clientKey })
    return isLater ? await captureLater(desk, orders) : await captureAll(desk, orders, wanted)
  }
  if (isLater) return await scheduleHere(project, orders)
  return await captureHere(project, (desk, limits) => {
    refuseMistakes(orders, limits)
    return captureAll(desk, orders, wanted)
  })
}

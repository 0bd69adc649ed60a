import { Command, Option } from 'commander'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../contract/webhooks.ts'
import { AppError } from '../../errors.ts'
import { once } from '../capture/options.ts'
import { readSecret } from '../capture/secret.ts'
import { printable } from '../table.ts'
import { type Given, SEALING, withWebhooks } from './with-webhooks.ts'

export function createCommand(): Command {
  return new Command('create')
    .description('Create a webhook, which notifies another server of events. Prints its secret, once.')
    .addOption(
      new Option('--url <address>', 'the URL to send deliveries to, with POST; also @file or env:VARIABLE')
        .argParser(once(String))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--event <event...>', 'an event to send; repeatable')
        .choices(WEBHOOK_EVENTS)
        .default(['root.finished'], 'root.finished'),
    )
    .addOption(
      new Option('--format <format>', 'signed JSON, or a message for a channel of these services')
        .choices(WEBHOOK_FORMATS)
        .default('standard'),
    )
    .addOption(new Option('--name <text>', 'default: the host of the address').argParser(once(String)))
    .addHelpText('after', EXPLANATION)
    .action(createWebhook)
}

const EXPLANATION = `
  npx proofsheet webhook create --url https://example.com/hooks/screenshots > webhook-secret
  npx proofsheet webhook create --event screenshot.done --event screenshot.failed --url https://example.com/hooks
  npx proofsheet webhook create --format slack --url env:SLACK_WEBHOOK_URL
  WEBHOOK_ALLOW=127.0.0.1:9000 npx proofsheet webhook create --url http://127.0.0.1:9000/

screenshot.done is sent for each picture, screenshot.failed for each page without one, root.finished for the whole
request. Deliveries are signed according to Standard Webhooks. Receivers check the signature with the secret. The
secret is printed to stdout, so that a script can read it. Servers on this machine or in a private network are refused
unless WEBHOOK_ALLOW allows them. Set it for this command and for the service, which sends the deliveries.`

interface AllGiven extends Given {
  readonly url: string
  readonly event: readonly string[]
  readonly format: string
  readonly name?: string
}

async function createWebhook({ url: where, event, format, name, ...given }: AllGiven): Promise<void> {
  // The URL of a channel is a secret, and arguments are visible to everyone on the machine.
  const url = /^(@|env:)/.test(where) ? await readSecret('--url', where) : where
  const host = (URL.parse(url)?.host || 'Untitled').slice(0, 200)
  const body = { name: name ?? host, url, events: event, format }
  const make = withWebhooks(
    given,
    ({ webhooks, projectId }) => webhooks.create(projectId, body).catch(tellOptions),
    SEALING,
  )
  const webhook = await make
  process.stdout.write(`${webhook.secret}\n`)
  process.stderr.write(
    `Webhook "${printable(webhook.name)}" is ready, as ${webhook.webhookId}. Its secret is shown only once: keep it safe. Try it ` +
      `with:\n  npx proofsheet webhook test ${webhook.webhookId}\n`,
  )
}

/** Mistakes name the options of this command. */
function tellOptions(error: unknown): never {
  if (!(error instanceof AppError) || error.mistakes.length === 0) throw error
  const told = error.mistakes.map((each) => {
    const [, field = ''] = /^#\/(\w+)/.exec('pointer' in each ? each.pointer : '') ?? []
    return `--${field} ${printable(each.detail)}`
  })
  throw new AppError('bad_request', told.join('\n'))
}

import { Command, Option } from 'commander'
import type { Purpose } from '../config/config.ts'
import { integer } from '../config/values.ts'
import { parseId } from '../contract/ids.ts'
import { MOST_PENDING } from '../contract/states.ts'
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
} from '../contract/webhooks.ts'
import { AppError } from '../errors.ts'
import { createWebhooks } from '../service/notifications.ts'
import type { ListedWebhook } from '../store/webhooks.ts'
import { show, type Webhooks } from '../webhooks/webhooks.ts'
import { once, textOption } from './capture/options.ts'
import { readSecret } from './capture/secret.ts'
import { parseTime } from './options.ts'
import { defineOwned, telling } from './owned.ts'
import { formatTime, print, printable, printTable, say, wrong } from './say.ts'
import { type Given, type Opened, withProject } from './storage.ts'

const WEBHOOK = defineOwned({
  word: 'webhook',
  rows: ({ webhooks }) => webhooks,
  order: 'oldest first',
  example: '--url https://example.com/hooks',
  header: ['STATE', 'PENDING', 'EVENTS', 'NAME', 'ADDRESS'],
  cells: async (each) => [
    tellState(each),
    each.pending >= MOST_PENDING ? `${each.pending}+` : String(each.pending),
    each.events.join(', '),
    printable(each.name),
    printable(each.url),
  ],
  trouble: ({ off }) => off && `was switched off. ${printable(off.detail)}`,
  show: {
    description: 'Print a webhook as JSON, without its secret.',
    run: async (found) => {
      print(JSON.stringify(show(found), undefined, 2))
    },
  },
  parts: 'its secret and its deliveries',
})

/** For commands that create or change secrets: these are sealed with the keys of the service. */
const SEALING: Purpose = { capturing: true }
/** Commands send nothing. */
const SENT_BY = 'The service (`proofsheet serve`) sends what is due, within seconds if it is running.'
const LONGEST_ANSWER = 60

export function webhookCommand(): Command {
  const create = new Command('create')
    .description('Create a webhook, which notifies another server of events. Prints its secret, once.')
    .addOption(
      textOption(
        '--url <address>',
        'the URL to send deliveries to, with POST; also @file or env:VARIABLE',
      ).makeOptionMandatory(),
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
    .addOption(textOption('--name <text>', 'default: the host of the address'))
    .addHelpText('after', ABOUT_CREATING)
    .action(createWebhook)
  const deliveries = WEBHOOK.oneCommand('deliveries', 'List the deliveries of a webhook, newest first.')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .addOption(
      new Option('--limit <number>', 'the most to list')
        .argParser(once(integer(1, 1_000)))
        .default(undefined, '20'),
    )
    .action(listDeliveries)
  const replayCommand = WEBHOOK.oneCommand('replay', 'Send a delivery again, or everything since a time.')
    .argument('[delivery]', 'its id, as "webhook deliveries" shows it')
    .addOption(
      new Option('--from <time>', 'everything that happened at this time or later').argParser(
        once(parseTime),
      ),
    )
    .addHelpText('after', `\n${SENT_BY}`)
    .action(replay)
  return WEBHOOK.command('Notify other servers of events.', [
    create,
    WEBHOOK.act('test', 'Send a test delivery, and print its id.', test),
    WEBHOOK.act(
      'rotate',
      'Create a new secret and print it, once. The old one stays valid for another day.',
      rotate,
      SEALING,
    ),
    deliveries,
    replayCommand,
  ])
}

const ABOUT_CREATING = `
  npx proofsheet webhook create --url https://example.com/hooks/screenshots > webhook-secret
  npx proofsheet webhook create --event screenshot.done --event screenshot.failed --url https://example.com/hooks
  npx proofsheet webhook create --format slack --url env:SLACK_WEBHOOK_URL
  WEBHOOK_ALLOW=127.0.0.1:9000 npx proofsheet webhook create --url http://127.0.0.1:9000/

screenshot.done is sent for each picture, screenshot.failed for each page without one, root.finished for the whole
request. Deliveries are signed according to Standard Webhooks. Receivers check the signature with the secret. The
secret is printed to stdout, so that a script can read it. Servers on this machine or in a private network are refused
unless WEBHOOK_ALLOW allows them. Set it for this command and for the service, which sends the deliveries.`

interface CreateGiven extends Given {
  readonly url: string
  readonly event: readonly string[]
  readonly format: string
  readonly name?: string
}

async function createWebhook({ url: where, event, format, name, ...given }: CreateGiven): Promise<void> {
  // The URL of a channel is a secret, and arguments are visible to everyone on the machine.
  const url = /^(@|env:)/.test(where) ? await readSecret('--url', where) : where
  const host = (URL.parse(url)?.host || 'Untitled').slice(0, 200)
  const body = { name: name ?? host, url, events: event, format }
  const tell = telling(({ pointer, detail }) => `--${/^#\/(\w+)/.exec(pointer)?.[1] ?? ''} ${detail}`)
  const create = (opened: Opened) => webhooksOf(opened).create(opened.projectId, body).catch(tell)
  const webhook = await withProject(given, create, SEALING)
  print(webhook.secret)
  say(
    `Webhook "${printable(webhook.name)}" is ready, as ${webhook.webhookId}. Its secret is shown only once: keep it safe. Try it ` +
      `with:\n  npx proofsheet webhook test ${webhook.webhookId}`,
  )
}

function webhooksOf({ storage, config }: Opened): Webhooks {
  return createWebhooks(config, storage, { clock: Date.now })
}

function tellState({ off, paused, failingSince }: ListedWebhook): string {
  if (off) return `off since ${formatTime(off.since)}`
  if (paused) return 'paused'
  return failingSince === undefined ? 'on' : `failing since ${formatTime(failingSince)}`
}

async function test(found: ListedWebhook, opened: Opened): Promise<void> {
  const { deliveryId } = await webhooksOf(opened).test(found)
  print(deliveryId)
  say(`${SENT_BY} See the result: npx proofsheet webhook deliveries ${found.webhookId}`)
}

async function rotate(found: ListedWebhook, opened: Opened): Promise<void> {
  const { secret, webhookId } = await webhooksOf(opened).rotateSecret(found)
  print(secret)
  say(
    `This is the new secret of webhook ${webhookId}. It is shown only once: keep it safe. For another day, deliveries are ` +
      'also signed with the old one.',
  )
}

async function listDeliveries(
  meant: string,
  { state, limit = 20, ...given }: Given & { state?: DeliveryState; limit?: number },
): Promise<void> {
  await WEBHOOK.withOne(meant, given, async (found, opened) => {
    const { deliveries } = await webhooksOf(opened).listDeliveries(found, { limit, state })
    const rows = deliveries.map((each) => {
      const { deliveryId, created, event, attempts } = each
      return [deliveryId, formatTime(created), event, each.state, String(attempts), tellLast(each)]
    })
    const header = ['DELIVERY', 'HAPPENED (UTC)', 'EVENT', 'STATE', 'ATTEMPTS', 'LAST ANSWER']
    printTable(header, rows, 'There are no such deliveries.')
  })
}

function tellLast({ last }: Delivery): string {
  if (!last) return '-'
  const { status, answer = '', problem = '' } = last
  const text = printable(`${status ?? ''} ${problem || answer}`.trim())
  return text.length > LONGEST_ANSWER ? `${text.slice(0, LONGEST_ANSWER - 1)}…` : text
}

async function replay(
  meant: string,
  deliveryId: string | undefined,
  { from, ...given }: Given & { from?: number },
): Promise<void> {
  if ((deliveryId === undefined) === (from === undefined))
    throw wrong('nothing to send: give the id of a delivery, or --from a time')
  const due = await WEBHOOK.withOne(meant, given, async (found, opened) => {
    const webhooks = webhooksOf(opened)
    if (from !== undefined) {
      const count = await webhooks.replayFrom(found, from)
      return count === 1 ? '1 delivery is' : `${count} deliveries are`
    }
    const id = parseId(deliveryId ?? '')
    const again = id === undefined ? undefined : await webhooks.replay(found, id).catch(ifMissing)
    return again && `Delivery ${id} is`
  })
  if (due === undefined)
    throw new AppError('not_found', `there is no delivery ${printable(deliveryId ?? '')} of this webhook`)
  say(`${due} due again. ${SENT_BY}`)
}

function ifMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined
  throw error
}

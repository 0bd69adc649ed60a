import { Command, Option } from 'commander'
import { integer } from '../../config/values.ts'
import { parseId } from '../../contract/ids.ts'
import { DELIVERY_STATES, type Delivery, type DeliveryState } from '../../contract/webhooks.ts'
import { AppError } from '../../errors.ts'
import { once } from '../capture/options.ts'
import { parseTime } from '../options.ts'
import { formatTable, formatTime, printable } from '../table.ts'
import { type Given, withWebhook } from './with-webhooks.ts'

/** Commands send nothing. */
export const SENT_BY = 'The service (`proofsheet serve`) sends what is due, within seconds if it is running.'
/** Characters of an answer in the table. */
const SHOWN = 60

export function deliveriesCommand(): Command {
  return new Command('deliveries')
    .description('List the deliveries of a webhook, newest first.')
    .argument('<webhook>', 'its id or its name')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .addOption(
      new Option('--limit <number>', 'the most to list')
        .argParser(once(integer(1, 1_000)))
        .default(undefined, '20'),
    )
    .action(listDeliveries)
}

export function replayCommand(): Command {
  return new Command('replay')
    .description('Send a delivery again, or everything since a time.')
    .argument('<webhook>', 'its id or its name')
    .argument('[delivery]', 'its id, as "webhook deliveries" shows it')
    .addOption(
      new Option('--from <time>', 'everything that happened at this time or later').argParser(
        once(parseTime),
      ),
    )
    .addHelpText('after', `\n${SENT_BY}`)
    .action(replay)
}

async function listDeliveries(
  meant: string,
  { state, limit = 20, ...given }: Given & { state?: DeliveryState; limit?: number },
): Promise<void> {
  await withWebhook(meant, given, async (found, { webhooks }) => {
    const { deliveries } = await webhooks.listDeliveries(found, { limit, state })
    if (deliveries.length === 0) {
      process.stderr.write('There are no such deliveries.\n')
      return
    }
    const rows = deliveries.map((each) => {
      const { deliveryId, created, event, attempts } = each
      return [deliveryId, formatTime(created), event, each.state, String(attempts), tellLast(each)]
    })
    const header = ['DELIVERY', 'HAPPENED (UTC)', 'EVENT', 'STATE', 'ATTEMPTS', 'LAST ANSWER']
    process.stdout.write(`${formatTable(header, rows)}\n`)
  })
}

function tellLast({ last }: Delivery): string {
  if (!last) return '-'
  const { status, answer = '', problem = '' } = last
  const text = printable(`${status ?? ''} ${problem || answer}`.trim())
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text
}

async function replay(
  meant: string,
  deliveryId: string | undefined,
  { from, ...given }: Given & { from?: number },
): Promise<void> {
  if ((deliveryId === undefined) === (from === undefined))
    throw new AppError('bad_request', 'nothing to send: give the id of a delivery, or --from a time')
  await withWebhook(meant, given, async (found, { webhooks }) => {
    if (from !== undefined) {
      const count = await webhooks.replayFrom(found, from)
      process.stderr.write(
        `${count === 1 ? '1 delivery is' : `${count} deliveries are`} due again. ${SENT_BY}\n`,
      )
      return
    }
    const id = parseId(deliveryId ?? '')
    const again = id === undefined ? undefined : await webhooks.replay(found, id).catch(ifMissing)
    if (!again)
      throw new AppError('not_found', `there is no delivery ${printable(deliveryId ?? '')} of this webhook`)
    process.stderr.write(`Delivery ${id} is due again. ${SENT_BY}\n`)
  })
}

function ifMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined
  throw error
}

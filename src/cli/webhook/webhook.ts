import { Command } from 'commander'
import { MOST_PENDING } from '../../contract/states.ts'
import type { ListedWebhook } from '../../store/webhooks.ts'
import { show } from '../../webhooks/webhooks.ts'
import { confirm } from '../confirm.ts'
import { projectOption } from '../project-option.ts'
import { formatTable, formatTime, printable } from '../table.ts'
import { createCommand } from './create.ts'
import { deliveriesCommand, replayCommand, SENT_BY } from './deliveries.ts'
import { type Given, listWebhooks, SEALING, withWebhook, withWebhooks } from './with-webhooks.ts'

export function webhookCommand(): Command {
  const webhook = new Command('webhook').description('Notify other servers of events.')
  const add = (command: Command) =>
    webhook.addCommand(command.addOption(projectOption('the project it belongs to')))
  const addOne = (name: string, description: string, act: (meant: string, given: Given) => Promise<void>) =>
    add(new Command(name).description(description).argument('<webhook>', 'its id or its name').action(act))
  add(new Command('list').description('List the webhooks of a project, oldest first.').action(list))
  addOne('show', 'Print a webhook as JSON, without its secret.', showWebhook)
  add(createCommand())
  addOne('test', 'Send a test delivery, and print its id.', test)
  addOne('rotate', 'Create a new secret and print it, once. The old one stays valid for another day.', rotate)
  add(deliveriesCommand())
  add(replayCommand())
  add(
    new Command('remove')
      .description('Remove a webhook, with its secret and its deliveries.')
      .argument('<webhook>', 'its id or its name')
      .option('--yes', 'remove it without asking')
      .action(remove),
  )
  return webhook
}

async function list(given: Given): Promise<void> {
  await withWebhooks(given, async ({ storage, projectId }) => {
    const all = await listWebhooks(storage, projectId)
    if (all.length === 0) {
      process.stderr.write(
        'There are no webhooks yet. Create one with: npx proofsheet webhook create --url https://example.com/hooks\n',
      )
      return
    }
    const rows = all.map((each) => {
      const { webhookId, name, events, pending, url } = each
      const [state, told] = [tellState(each), events.join(', ')]
      return [
        webhookId,
        state,
        pending >= MOST_PENDING ? `${pending}+` : String(pending),
        told,
        printable(name),
        printable(url),
      ]
    })
    const header = ['WEBHOOK', 'STATE', 'PENDING', 'EVENTS', 'NAME', 'ADDRESS']
    process.stdout.write(`${formatTable(header, rows)}\n`)
    for (const { webhookId, off } of all)
      if (off) process.stderr.write(`Webhook ${webhookId} was switched off. ${printable(off.detail)}\n`)
  })
}

function tellState({ off, paused, failingSince }: ListedWebhook): string {
  if (off) return `off since ${formatTime(off.since)}`
  if (paused) return 'paused'
  return failingSince === undefined ? 'on' : `failing since ${formatTime(failingSince)}`
}

async function showWebhook(meant: string, given: Given): Promise<void> {
  const shown = await withWebhook(meant, given, async (found) => show(found))
  process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`)
}

async function test(meant: string, given: Given): Promise<void> {
  await withWebhook(meant, given, async (found, { webhooks }) => {
    const { deliveryId } = await webhooks.test(found)
    process.stdout.write(`${deliveryId}\n`)
    process.stderr.write(`${SENT_BY} See the result: npx proofsheet webhook deliveries ${found.webhookId}\n`)
  })
}

async function rotate(meant: string, given: Given): Promise<void> {
  const webhook = await withWebhook(
    meant,
    given,
    (found, { webhooks }) => webhooks.rotateSecret(found),
    SEALING,
  )
  process.stdout.write(`${webhook.secret}\n`)
  process.stderr.write(
    `This is the new secret of webhook ${webhook.webhookId}. It is shown only once: keep it safe. For another day, deliveries are ` +
      'also signed with the old one.\n',
  )
}

async function remove(meant: string, { yes, ...given }: Given & { yes?: true }): Promise<void> {
  await withWebhook(meant, given, async (found, { webhooks }) => {
    const { webhookId, name } = found
    if (!yes) await confirm(`webhook ${webhookId}, with its secret and its deliveries`, name)
    await webhooks.remove(found)
    process.stderr.write(`Webhook ${webhookId} is removed.\n`)
  })
}

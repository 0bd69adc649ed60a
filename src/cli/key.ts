import { Command, Option } from 'commander'
import { AppError } from '../errors.ts'
import { makeStoredKey } from '../store/api-key.ts'
import type { KeyScope } from '../store/store.ts'
import { idOption } from './options.ts'
import { formatTime, print, printable, printTable, say } from './say.ts'
import { type Given, getProjectId, projectOption, withStorage } from './storage.ts'

export function keyCommand(): Command {
  const key = new Command('key').description('Create, list and revoke API keys.')
  key
    .command('create')
    .description(
      'Create an API key for one project, or for the whole service. It is printed once and cannot be shown again.',
    )
    .addOption(projectOption('the project it opens'))
    .addOption(
      new Option('--scope <scope>', 'what it allows; write includes read')
        .choices(['read', 'write'])
        .default('read'),
    )
    .addOption(
      new Option(
        '--admin',
        'for the whole service: it opens every project, and can create projects and keys',
      ).conflicts(['project', 'scope']),
    )
    .option('--label <text>', 'a note: what the key is for', '')
    .action(createKey)
  key
    .command('list')
    .description('List the keys. Only their ids are shown: the keys themselves are not stored.')
    .option('--project <uuid>', 'only the keys of this project', idOption)
    .action(listKeys)
  key
    .command('revoke')
    .description('Revoke a key. It stops working with the next request.')
    .argument('<key-id>', 'as "key list" shows it')
    .action(revokeKey)
  return key
}

type CreateOptions = Given & { readonly scope: KeyScope; readonly admin?: true; readonly label: string }

async function createKey({ project, admin, label, ...options }: CreateOptions): Promise<void> {
  const scope = admin ? 'admin' : options.scope
  const { secret, keyId } = await withStorage(async (storage) => {
    const projectId = admin ? undefined : await getProjectId(storage, project)
    const made = makeStoredKey({ projectId, scope, label, created: Date.now() })
    await storage.store.createKey(made.stored)
    return { secret: made.secret, keyId: made.stored.keyId }
  })
  print(secret)
  say(
    `This is key ${keyId} (${scope}). It is shown only once: keep it safe. Send it with every request:\n` +
      '  Authorization: Bearer <key>\n' +
      `To revoke it: npx proofsheet key revoke ${keyId}`,
  )
}

async function listKeys(options: { project?: string }): Promise<void> {
  const keys = await withStorage(({ store }) => store.listKeys({ projectId: options.project }))
  const rows = keys.map(({ keyId, projectId, scope, created, revoked, label }) => {
    const state = revoked === undefined ? 'valid' : `revoked ${formatTime(revoked)}`
    return [keyId, projectId ?? 'all projects', scope, formatTime(created), state, printable(label)]
  })
  const header = ['KEY', 'PROJECT', 'SCOPE', 'CREATED (UTC)', 'STATE', 'LABEL']
  printTable(header, rows, 'There are no keys yet. Create one with: npx proofsheet key create --project <id>')
}

async function revokeKey(keyId: string): Promise<void> {
  const revoked = await withStorage(({ store }) => store.revokeKey(keyId, Date.now()))
  if (!revoked)
    throw new AppError(
      'not_found',
      `there is no key ${printable(keyId)}. List them with: npx proofsheet key list`,
    )
  say(`Key ${keyId} is revoked.`)
}

import { randomBytes } from 'node:crypto'
import { Command, Option } from 'commander'
import { AppError } from '../errors.ts'
import { hashApiKey, makeApiKey } from '../store/api-key.ts'
import type { KeyScope } from '../store/store.ts'
import { idOption } from './options.ts'
import { projectOption } from './project-option.ts'
import { getProjectId, withStorage } from './storage.ts'
import { formatTable, formatTime, printable } from './table.ts'

export function keyCommand(): Command {
  const key = new Command('key').description('Make, list and revoke API keys.')
  key
    .command('create')
    .description('Make an API key for one project. It is printed once and cannot be shown again.')
    .addOption(projectOption('the project it opens'))
    .addOption(
      new Option('--scope <scope>', 'what it allows; write includes read')
        .choices(['read', 'write'])
        .default('read'),
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

async function createKey(options: { project?: string; scope: KeyScope; label: string }): Promise<void> {
  const secret = makeApiKey()
  const keyId = randomBytes(6).toString('hex')
  await withStorage(async (storage) => {
    const { project, scope, label } = options
    const projectId = await getProjectId(storage, project)
    await storage.store.createKey({
      keyId,
      projectId,
      scope,
      label,
      created: Date.now(),
      revoked: undefined,
      hash: hashApiKey(secret),
    })
  })
  process.stdout.write(`${secret}\n`)
  process.stderr.write(
    `This is key ${keyId} (${options.scope}). It is shown only once: keep it safe. Send it with every request:\n` +
      '  Authorization: Bearer <key>\n' +
      `To revoke it: npx proofsheet key revoke ${keyId}\n`,
  )
}

async function listKeys(options: { project?: string }): Promise<void> {
  const keys = await withStorage(({ store }) => store.listKeys(options.project))
  if (keys.length === 0) {
    process.stderr.write('There are no keys yet. Make one with: npx proofsheet key create --project <id>\n')
    return
  }
  const rows = keys.map(({ keyId, projectId, scope, created, revoked, label }) => {
    const state = revoked === undefined ? 'valid' : `revoked ${formatTime(revoked)}`
    return [keyId, projectId, scope, formatTime(created), state, printable(label)]
  })
  process.stdout.write(
    `${formatTable(['KEY', 'PROJECT', 'SCOPE', 'CREATED (UTC)', 'STATE', 'LABEL'], rows)}\n`,
  )
}

async function revokeKey(keyId: string): Promise<void> {
  const revoked = await withStorage(({ store }) => store.revokeKey(keyId, Date.now()))
  if (!revoked)
    throw new AppError(
      'not_found',
      `there is no key ${printable(keyId)}. List them with: npx proofsheet key list`,
    )
  process.stderr.write(`Key ${keyId} is revoked.\n`)
}

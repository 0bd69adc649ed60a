import { join, resolve } from 'node:path'
import { type Config, withoutPassword } from '../../config/config.ts'
import { rootsPath } from '../../contract/paths.ts'
import { DEMO_PROJECT_ID } from '../../demo/visits.ts'
import type { Storage } from '../../service/storage.ts'

export interface Described {
  readonly storage: Storage
  readonly config: Config
  /** Why this process cannot capture, and what to do about it. */
  readonly noBrowser: string | undefined
}

/** The text that is printed at the start: how to see the service, how to capture a page, how to stop. */
export async function describeService(
  url: string,
  { storage, config, noBrowser }: Described,
): Promise<string> {
  const base = config.publicUrl ?? url
  const keys = config.auth === 'keys'
  const { store } = storage
  const projects = await store.listProjects({ limit: 2 })
  const project = (await store.findProject(DEMO_PROJECT_ID)) ?? projects[0]
  const lines = [`proofsheet is ready at ${base}`, 'Open that address in a browser to see it.', '']
  if (keys) {
    lines.push(`It requires an API key. Create one, in another terminal${sameSettings(config)}:`)
    lines.push(`  ${command(config)} key create --project ${project?.projectId ?? '<project id>'}`, '')
  }
  if (config.auth === 'open-to-everyone') {
    lines.push('Anyone who reaches this address can read everything.', '')
  }
  if (!project) {
    lines.push(
      `There is no project yet. Create one${sameSettings(config)}:`,
      `  ${command(config)} project create --name "My site"`,
      '',
    )
  } else {
    const which = projects.length > 1 ? ` --project ${project.projectId}` : ''
    const capture = `${command(config)} capture${which}`
    lines.push(`Capture a page of your own, in another terminal${sameSettings(config)}:`)
    if (noBrowser !== undefined) lines.push(`  ${noBrowser}`)
    lines.push(
      `  ${capture} https://example.com/`,
      `  CAPTURE_ALLOW=127.0.0.1:3000 ${capture} http://127.0.0.1:3000/   (one on this machine)`,
      '',
      `Or read it with a program (${base}/docs):`,
      `  ${keys ? "curl -H 'Authorization: Bearer <key>'" : 'curl'} ${base}${rootsPath(project.projectId)}`,
      '',
    )
  }
  lines.push(...describeLocations(config))
  lines.push('Stop with Ctrl+C.')
  return `${lines.join('\n')}\n`
}

function describeLocations({ dataDir, database, images }: Config): string[] {
  const lines = [
    database.kind === 'postgres' && `  database: ${withoutPassword(database.url)}`,
    database.kind === 'sqlite' &&
      database.path !== join(dataDir, 'proofsheet.db') &&
      `  database: ${database.path}`,
    images.kind === 's3' && `  pictures: s3://${images.bucket}/${images.prefix}`,
    images.kind === 'folder' && images.path !== join(dataDir, 'images') && `  pictures: ${images.path}`,
  ].filter((line) => line !== false)
  return [lines.length === 2 ? 'The data is in' : `The data is in ${dataDir}`, ...lines]
}

/** A command with its settings, ready to paste into another terminal. */
function command({ dataDir, database, images }: Config): string {
  const settings = [
    dataDir !== resolve('data') && `DATA_DIR=${quote(dataDir)}`,
    database.kind === 'sqlite' &&
      database.path !== join(dataDir, 'proofsheet.db') &&
      `DATABASE_URL=${quote(`sqlite://${database.path}`)}`,
    images.kind === 'folder' &&
      images.path !== join(dataDir, 'images') &&
      `IMAGES_URL=${quote(`file://${images.path}`)}`,
  ]
  return [...settings.filter((setting) => setting !== false), 'npx proofsheet'].join(' ')
}

/** Quoted for a shell. */
function quote(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Settings that are not shown, because they may contain passwords. */
function sameSettings({ database, images }: Config): string {
  const names = [database.kind === 'postgres' && 'DATABASE_URL', images.kind === 's3' && 'IMAGES_URL']
  const needed = names.filter((name) => name !== false)
  return needed.length > 0 ? ` with the same ${needed.join(' and ')}` : ''
}

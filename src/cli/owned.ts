import { Command } from 'commander'
import type { Purpose } from '../config/config.ts'
import type { Mistake } from '../contract/check.ts'
import { parseId } from '../contract/ids.ts'
import { AppError } from '../errors.ts'
import { type ListPage, readAll } from '../store/owned.ts'
import type { Store } from '../store/store.ts'
import { confirm, formatTime, printable, printTable, say, wrong } from './say.ts'
import { type Given, type Opened, projectOption, withProject } from './storage.ts'

// The commands of the things that a project owns: templates, schedules and webhooks.

type Id<Word extends string> = { readonly [Name in `${Word}Id`]: string }
type Key<Word extends string> = Id<Word> & { readonly projectId: string }
type Named<Word extends string> = Id<Word> & { readonly name: string; readonly created: number }

/** `Head` is a row of the list. */
export interface Owned<Word extends string, Head, Row> {
  readonly word: Word
  readonly rows: (store: Store) => {
    page(projectId: string, page: ListPage): Promise<readonly Head[]>
    find(key: Key<Word>): Promise<Row | undefined>
    remove(key: Key<Word>): Promise<void>
  }
  readonly order: 'newest first' | 'oldest first'
  /** The arguments of `create`, for people who have none yet. */
  readonly example: string
  /** The columns of the list, after the id. */
  readonly header: readonly string[]
  /** Undefined if it was removed meanwhile. */
  readonly cells: (head: Head, opened: Opened) => Promise<readonly string[] | undefined>
  /** Told below the list. */
  readonly trouble?: (head: Head) => string | undefined
  readonly show: {
    readonly description: string
    readonly run: (row: Row, opened: Opened) => Promise<void>
  }
  /** Removed with it. */
  readonly parts: string
  readonly afterRemoval?: string
}

/** Makes its commands: `list`, `show` and `remove` are the same for all. */
export function defineOwned<Word extends string, Head extends Named<Word>, Row extends Named<Word>>(
  owned: Owned<Word, Head, Row>,
) {
  const { word, rows } = owned
  const title = word[0]?.toUpperCase() + word.slice(1)
  const rest = owned.afterRemoval ? ` ${owned.afterRemoval}` : ''
  const idOf = (row: Named<Word>) => String(row[`${word}Id` as keyof Id<Word>])
  const keyOf = (projectId: string, id: string) => ({ projectId, [`${word}Id`]: id }) as Key<Word>
  const listAll = async ({ storage: { store }, projectId }: Opened) =>
    await readAll((page) => rows(store).page(projectId, page), idOf)

  const noSuch = (meant: string) =>
    new AppError(
      'not_found',
      `there is no ${word} ${printable(meant)}. List them with: npx proofsheet ${word} list`,
    )
  /** For one that was removed meanwhile. */
  const orNoSuch = (meant: string) => (error: unknown) => {
    throw error instanceof AppError && error.code === 'not_found' ? noSuch(meant) : error
  }

  async function idByName(opened: Opened, meant: string): Promise<string> {
    const fitting = (await listAll(opened)).filter(({ name }) => name === meant)
    const [first, second] = fitting
    if (!first) throw noSuch(meant)
    if (!second) return idOf(first)
    throw wrong(
      `several ${word}s are called ${printable(meant)}. Choose one by its id\n` +
        fitting.map((each) => `  ${idOf(each)}`).join('\n'),
    )
  }

  /** Finds one by its id or its name. Throws `not_found`, or `bad_request` if several have the name. */
  async function get(opened: Opened, meant: string): Promise<Row> {
    const id = parseId(meant) ?? (await idByName(opened, meant))
    const found = await rows(opened.storage.store).find(keyOf(opened.projectId, id))
    if (!found) throw noSuch(meant)
    return found
  }

  async function withOne<T>(
    meant: string,
    given: Given,
    work: (row: Row, opened: Opened) => Promise<T>,
    purpose?: Purpose,
  ): Promise<T> {
    const find = async (opened: Opened) => await work(await get(opened, meant), opened).catch(orNoSuch(meant))
    return await withProject(given, find, purpose)
  }

  async function list(opened: Opened): Promise<void> {
    const all = await listAll(opened)
    const lines: string[][] = []
    for (const each of all) {
      const cells = await owned.cells(each, opened)
      if (cells) lines.push([idOf(each), ...cells])
    }
    const none = `There are no ${word}s yet. Create one with: npx proofsheet ${word} create ${owned.example}`
    printTable([word.toUpperCase(), ...owned.header], lines, none)
    for (const each of all) {
      const trouble = owned.trouble?.(each)
      if (trouble) say(`${title} ${idOf(each)} ${trouble}`)
    }
  }

  const oneCommand = (name: string, description: string) =>
    new Command(name).description(description).argument(`<${word}>`, 'its id or its name')

  const act = (
    name: string,
    description: string,
    work: (row: Row, opened: Opened) => Promise<void>,
    purpose?: Purpose,
  ) =>
    oneCommand(name, description).action(
      async (meant: string, given: Given) => await withOne(meant, given, work, purpose),
    )

  const removeCommand = oneCommand('remove', `Remove a ${word}, with ${owned.parts}.${rest}`)
    .option('--yes', 'remove it without asking')
    .action(async (meant: string, { yes, ...given }: Given & { yes?: true }) => {
      await withOne(meant, given, async (row, { storage: { store }, projectId }) => {
        const id = idOf(row)
        if (!yes) await confirm(`${word} ${id}, with ${owned.parts}`, row.name)
        await rows(store).remove(keyOf(projectId, id))
        say(`${title} ${id} is removed.${rest}`)
      })
    })

  /** The command with all its subcommands. `others`: `create`, and what else it can do. */
  function command(description: string, others: readonly Command[]): Command {
    const all = new Command(word).description(description)
    const listCommand = new Command('list')
      .description(`List the ${word}s of a project, ${owned.order}.`)
      .action(async (given: Given) => await withProject(given, list))
    const showCommand = act('show', owned.show.description, owned.show.run)
    for (const each of [listCommand, showCommand, ...others, removeCommand]) {
      all.addCommand(each.addOption(projectOption('the project it belongs to')))
    }
    return all
  }
  return { command, oneCommand, act, get, withOne, orNoSuch }
}

/** For a body that was made from options: its mistakes name them. */
export function telling(tell: (mistake: Mistake) => string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.mistakes.length === 0) throw error
    const told = error.mistakes.map((each) => printable(tell(each as Mistake)))
    throw wrong(told.join('\n'))
  }
}

/** For a list: when the last root was created. */
export async function tellLastRun(
  rootId: string | undefined,
  { storage: { store }, projectId }: Opened,
): Promise<string> {
  const last = rootId === undefined ? undefined : await store.findRoot(projectId, rootId)
  return last ? formatTime(last.created) : '-'
}

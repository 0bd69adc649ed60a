import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import { type SettingName, settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { ExitCode } from './signals.ts'

/** Runs a command line and returns the exit code. Errors go to stderr. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const finish: Finish = (code) => {
    exitCode = code
  }
  const program = new Command('proofsheet')
    .description('Takes screenshots of web pages, keeps them and serves them.')
    .version(ownVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .configureHelp({ showGlobalOptions: false, helpWidth: 100 })
    .showHelpAfterError('(--help explains the command)')
    .configureOutput({ writeErr: (text) => process.stderr.write(withoutPasswords(text)) })
    .addHelpText('after', OVERVIEW)
  for (const command of await loadCommands(args[0], finish)) program.addCommand(command)
  settle(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return report(error, args)
  }
}

/** The same settings for every command and subcommand. */
function settle(command: Command): void {
  command.exitOverride().helpCommand(false)
  for (const each of command.commands) {
    settle(each.copyInheritedSettings(command).helpOption('-h, --help', 'explain this command'))
  }
}

/** Error messages repeat the command. Passwords in it are hidden. */
function withoutPasswords(text: string): string {
  return text.replaceAll(/(\w:\/*)[^\s@]*@/g, '$1…@')
}

type Finish = (code: ExitCode) => void

const commands: Record<string, (finish: Finish) => Promise<Command>> = {
  serve: async () => (await import('./serve/serve.ts')).serveCommand(),
  capture: async (finish) => (await import('./capture/capture.ts')).captureCommand(finish),
  work: async () => (await import('./work.ts')).workCommand(),
  import: async (finish) => (await import('./import.ts')).importCommand(finish),
  project: async () => (await import('./project.ts')).projectCommand(),
  browser: async (finish) => (await import('./browser.ts')).browserCommand(finish),
  template: async (finish) => (await import('./template/template.ts')).templateCommand(finish),
  schedule: async () => (await import('./schedule/schedule.ts')).scheduleCommand(),
  webhook: async () => (await import('./webhook/webhook.ts')).webhookCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  copy: async (finish) => (await import('./copy.ts')).copyCommand(finish),
}

/** Loads only the command that was given: `project list` needs no web server. */
async function loadCommands(name: string | undefined, finish: Finish): Promise<Command[]> {
  const asked = Object.keys(commands).filter((command) => command === name)
  const names = asked.length > 0 ? asked : Object.keys(commands)
  return await Promise.all(names.map((each) => commands[each]?.(finish) as Promise<Command>))
}

const OVERVIEW = `
First steps
  npx proofsheet project create --name "My site"     creates a project
  npx proofsheet browser install                     installs a browser, if there is none
  npx proofsheet capture https://…                   captures pages
  npx proofsheet schedule create --every 6h https:…  captures pages again and again
  npx proofsheet import ./screenshots                imports a folder of pictures
  npx proofsheet serve                               shows and serves them on http://127.0.0.1:8080

Settings come from the environment (HOST, PORT, DATA_DIR, …): npx proofsheet serve --help lists them.
Exit codes: 0 done, 1 failed or incomplete, 2 a mistake in the command or the settings.`

function report(error: unknown, args: readonly string[]): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    return say(error.code === 'commander.unknownOption' ? suggestSetting(args) : '', 2)
  }
  const { syscall, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof ConfigError) return say(message, 2)
  if (error instanceof AppError && error.code !== 'internal') {
    return say(`proofsheet: ${message}`, error.code === 'bad_request' ? 2 : 1)
  }
  // An error of the system explains itself. Only an unexpected error needs a stack.
  return say(syscall === undefined ? (stack ?? message) : `proofsheet: ${message}`, 1)
}

/** For `serve --port 3000`: settings are not options, but people try them as options. */
function suggestSetting(args: readonly string[]): string {
  for (const [at, arg] of args.entries()) {
    const [, option = '', value] = /^--([a-z][a-z-]*)(?:=(.*))?$/.exec(arg) ?? []
    const name = option.replaceAll('-', '_').toUpperCase()
    if (!(name in settings)) continue
    const given = value ?? args[at + 1] ?? ''
    const rest = args.filter((_, other) => other !== at && (value !== undefined || other !== at + 1))
    const shown = settings[name as SettingName].type === 'secret' ? '…' : given
    return withoutPasswords(
      `Settings come from the environment: ${name}=${shown} npx proofsheet ${rest.join(' ')}`,
    )
  }
  return ''
}

function say(text: string, code: ExitCode): ExitCode {
  if (text !== '') process.stderr.write(`${text}\n`)
  return code
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}

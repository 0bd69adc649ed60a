import { Command, CommanderError } from 'commander'
import { ConfigError, ownVersion } from '../config/config.ts'
import { type SettingName, settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { ExitCode } from './signals.ts'

/** Runs a command line, and sets the exit code. Errors go to stderr. */
export async function run(args: readonly string[]): Promise<void> {
  const program = new Command('proofsheet')
    .description('Takes screenshots of web pages, keeps them and serves them.')
    .version(ownVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'explain a command')
    .configureHelp({ showGlobalOptions: false, helpWidth: 100 })
    .showHelpAfterError('(--help explains the command)')
    .configureOutput({ writeErr: (text) => process.stderr.write(withoutPasswords(text)) })
    .addHelpText('after', OVERVIEW)
  for (const command of await loadCommands(args[0])) program.addCommand(command)
  settle(program)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error, args)
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

const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve/serve.ts')).serveCommand(),
  capture: async () => (await import('./capture/capture.ts')).captureCommand(),
  work: async () => (await import('./work.ts')).workCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  project: async () => (await import('./project.ts')).projectCommand(),
  browser: async () => (await import('./browser.ts')).browserCommand(),
  template: async () => (await import('./template.ts')).templateCommand(),
  schedule: async () => (await import('./schedule.ts')).scheduleCommand(),
  webhook: async () => (await import('./webhook.ts')).webhookCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  copy: async () => (await import('./copy.ts')).copyCommand(),
}

/** Loads only the command that was given: `project list` needs no web server. */
async function loadCommands(name: string | undefined): Promise<Command[]> {
  const asked = Object.keys(commands).filter((command) => command === name)
  const names = asked.length > 0 ? asked : Object.keys(commands)
  return await Promise.all(names.map((each) => commands[each]?.() as Promise<Command>))
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

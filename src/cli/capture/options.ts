import { type Command, InvalidArgumentError, Option } from 'commander'
import { duration, integer } from '../../config/values.ts'
import { AREAS, type Effect, STYLES } from '../../contract/options/finish.ts'
import { PLAIN, PLAIN_NAMES, type PlainOption, plainOf } from '../../contract/options/plain.ts'
import { valueOption } from '../options.ts'
import { EFFECT_NAMES, parseEffect } from './effect.ts'

// The options for pages and pictures. `fields.ts` turns them into fields of a request, and the contract checks them.

/** The options of the command that become fields of the request, beside the plain ones (`contract/options/plain.ts`). */
export interface Given {
  readonly size?: readonly ReturnType<typeof parseSize>[]
  readonly width?: number
  readonly height?: number
  readonly device?: string
  readonly header?: readonly string[]
  readonly cookie?: readonly string[]
  readonly loginUsername?: string
  readonly loginPassword?: string
  readonly loginUsernameField?: string
  readonly loginPasswordField?: string
  readonly loginButton?: string
  readonly loginOrigin?: readonly string[]
  readonly click?: readonly ReturnType<typeof parseClick>[]
  readonly hide?: readonly string[]
  readonly css?: string
  readonly area?: string
  readonly style?: string
  readonly effect?: readonly Effect[]
  readonly tag?: readonly string[]
  readonly loadingTime?: number
  readonly failOnStatus?: true
}

const SIZES = 'It was already given. For several windows: --size 390x844 --size 1280x800'

type Row = readonly [flags: string, help: string, parse?: (text: string, before: never) => unknown]

const GROUPS: Readonly<Record<string, readonly Row[]>> = {
  'Options:': [['--tag <tag>', 'a word to find the screenshots by; repeatable', several(String)]],
  'Window:': [
    ['--size <size>', 'such as 1280x800 (default: 1200x720); repeat it for several', several(parseSize)],
    ['--width <pixels>', 'of the one window', once(integer(1, 16_384), SIZES)],
    ['--height <pixels>', 'of the one window', once(integer(1, 16_384), SIZES)],
    ['--device <name>', 'capture as this device, such as "iPhone 15"', once(String)],
    ...plainRows('Window'),
  ],
  'Visitor:': [
    ...plainRows('Visitor'),
    ['--header <header>', '"Name: @file" or "Name: env:VARIABLE"; repeatable', several(String)],
    ['--cookie <cookie>', 'name=@file or name=env:VARIABLE; repeatable', several(String)],
  ],
  'Before the picture:': [
    ['--login-username-field <selector>', 'log in first: the field of the user name', once(String)],
    ['--login-password-field <selector>', 'the field of the password', once(String)],
    ['--login-button <selector>', 'the button that logs in', once(String)],
    ['--login-username <name>', 'the user name', once(String)],
    [
      '--login-origin <origin>',
      'where else the form may be, such as https://sso.example.com; repeatable',
      several(String),
    ],
    ['--login-password <secret>', '@file or env:VARIABLE; without it you are asked', once(String)],
    ...plainRows('Before the picture'),
    ['--click <selector>', 'click it; "#menu;1s" then waits 1 s; repeatable', several(parseClick)],
    ['--hide <selector>', 'do not show it; repeatable', several(String)],
    ['--css <file>', 'add this style sheet to the page', once(String)],
    ['--loading-time <time>', 'the longest time for one page, such as 30s', once(duration('1ms', '10m'))],
    ['--fail-on-status', 'a page with an HTTP status of 400 or more fails'],
  ],
  'Picture:': [
    ...plainRows('Picture'),
    ['--area <part>', AREAS.join(', '), once(String)],
    ['--style <frame>', STYLES.join(', '), once(String)],
    [
      '--effect <effect>',
      `${EFFECT_NAMES.join(', ')}: such as roundcorners:12, shadow, resize:800x; repeatable, in order`,
      several(parseEffect),
    ],
  ],
}

export function addRequestOptions(command: Command): Command {
  for (const [group, rows] of Object.entries(GROUPS)) {
    for (const [flags, help, parse] of rows) {
      const option = new Option(flags, help).helpGroup(group)
      command.addOption(
        parse ? option.argParser(parse as (text: string, before: unknown) => unknown) : option,
      )
    }
  }
  return command
}

function plainRows(group: PlainOption['group']): Row[] {
  return plainOf(group).map((name): Row => {
    const { flag, help, kind } = PLAIN[name]
    if (kind === 'switch') return [flag, help]
    if (kind === 'number') return [flag, help, once(parseNumber)]
    return [flag, help, kind === 'milliseconds' ? once(duration('0ms', '10m')) : once(String)]
  })
}

/** The plain options that were given, as fields of the request. */
export function plainFields(given: object): Readonly<Record<string, unknown>> {
  const values = given as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    PLAIN_NAMES.map((name) => {
      const { flag, ...option }: PlainOption = PLAIN[name]
      const value = values[new Option(flag).attributeName()]
      return [name, value === true ? (option.on ?? true) : value]
    }),
  )
}

/** A second value is a mistake: the first would be lost. */
export function once<T>(parse: (text: string) => T, instead = 'It may be given only once.') {
  return (text: string, before: T | undefined): T => {
    if (before !== undefined) throw new InvalidArgumentError(instead)
    return valueOption(parse)(text)
  }
}

export function textOption(flags: string, help: string): Option {
  return new Option(flags, help).argParser(once(String))
}

function several<T>(parse: (text: string) => T) {
  return (text: string, before: readonly T[] = []): T[] => [...before, valueOption(parse)(text)]
}

function parseSize(text: string) {
  const [, width, height] = /^(\d{1,5})[x×](\d{1,5})$/i.exec(text) ?? []
  if (width === undefined || height === undefined)
    throw new Error('must be a width and a height, such as 1280x800')
  return { width: Number(width), height: Number(height) }
}

function parseNumber(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error('must be a number')
  return Number(text)
}

/** No selector has a semicolon outside of quotes. */
function parseClick(text: string) {
  const [, elementId = '', time] = /^(.*?)(?:;\s*(\w+))?$/s.exec(text) ?? []
  return time === undefined
    ? { elementId }
    : { elementId: elementId.trim(), loadingTime: duration('0ms', '10m')(time) }
}

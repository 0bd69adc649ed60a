import type { Mistake } from '../../contract/check.ts'
import { PLAIN, PLAIN_NAMES } from '../../contract/options/plain.ts'
import { wrong } from '../say.ts'
import { type Given, plainFields } from './options.ts'
import { askSecret, readSecret, readText } from './secret.ts'

/** Fields of `screenshotParameter`. The contract has not checked them yet. */
export type Fields = Readonly<Record<string, unknown>>

/** The options whose field has another name. */
const OPTION_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PLAIN_NAMES.map((name) => [name, PLAIN[name].flag.replace(/ .*/, '')])),
  sizes: '--size',
  headers: '--header',
  cookies: '--cookie',
  loginParameter: '--login-…',
  clicks: '--click',
  effects: '--effect',
  tags: '--tag',
}

/** Makes fields of options. Reads the files and secrets that the options name. */
export async function toFields(given: Given): Promise<Fields> {
  const fields = {
    ...windowOf(given),
    ...plainFields(given),
    device: given.device,
    headers: given.header && (await headersOf(given.header)),
    cookies: given.cookie && (await Promise.all(given.cookie.map(cookieOf))),
    loginParameter: await loginOf(given),
    clicks: given.click,
    hide: given.hide,
    css: given.css === undefined ? undefined : await readText('--css', given.css),
    area: given.area,
    style: given.style,
    effects: given.effect,
    tags: given.tag,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** A mistake in a request that was made from options. It names the option. */
export function tellOption({ pointer, detail }: Mistake): string {
  const [, field = '', inner = ''] = /^#\/screenshotParameter\/(\w+)(.*)$/.exec(pointer) ?? []
  if (field === '') return `${pointer} ${detail}`
  const option = OPTION_OF[field] ?? `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  return `${option}${inner.replace(/^\/(\d+)/, (_, index) => ` ${Number(index) + 1}`)} ${detail}`
}

function windowOf({ size, width, height }: Given): Fields {
  if (!size) return { width, height }
  if (width !== undefined || height !== undefined) {
    throw wrong('--size is a whole window: give it without --width and --height')
  }
  return size.length === 1 ? { ...size[0] } : { sizes: size }
}

async function headersOf(given: readonly string[]): Promise<Record<string, string>> {
  const headers = given.map(async (header) => {
    const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(header) ?? []
    if (name === undefined || value === undefined) {
      throw wrong('--header must look like "Authorization: @file" or "Authorization: env:VARIABLE"')
    }
    return [name, await readSecret(`--header ${name}`, value)] as const
  })
  return Object.fromEntries(await Promise.all(headers))
}

async function cookieOf(given: string): Promise<{ name: string; value: string }> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? []
  if (name === undefined || value === undefined) {
    throw wrong('--cookie must look like session=@file or session=env:VARIABLE')
  }
  return { name, value: await readSecret(`--cookie ${name}`, value) }
}

async function loginOf(given: Given): Promise<object | undefined> {
  const { loginUsernameField, loginPasswordField, loginButton, loginUsername, loginPassword } = given
  const { loginOrigin: origins } = given
  const parts = {
    '--login-username-field': loginUsernameField,
    '--login-password-field': loginPasswordField,
    '--login-button': loginButton,
    '--login-username': loginUsername,
  }
  const missing = Object.entries(parts).filter(([, value]) => value === undefined)
  if (missing.length === 4 && loginPassword === undefined && !origins) return undefined
  if (missing.length > 0) {
    throw wrong(`a login also needs ${missing.map(([option]) => option).join(', ')}`)
  }
  const password =
    loginPassword === undefined
      ? await askSecret(`Password of ${loginUsername}: `, '--login-password')
      : await readSecret('--login-password', loginPassword)
  return {
    username: { elementId: loginUsernameField, username: loginUsername },
    password: { elementId: loginPasswordField, password },
    loginButton: { elementId: loginButton },
    ...(origins && { origins }),
  }
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test, vi } from 'vitest'
import { parseEffect } from '../../src/cli/capture/effect.ts'
import { addRequestOptions, type Given } from '../../src/cli/capture/options.ts'
import { toOrders } from '../../src/cli/capture/orders.ts'
import { createOptions } from '../../src/contract/capture-options.ts'
import { AREAS, STYLES } from '../../src/contract/options/finish.ts'
import { makeFolder } from '../support/processes/workspace.ts'

const PAGE = 'https://example.com/'

/** The requests that the command creates from its arguments. The contract has not checked them yet. */
async function ordersOf(...args: string[]) {
  const command = addRequestOptions(new Command().argument('[urls...]').option('--from <file>'))
  command.exitOverride().configureOutput({ writeErr: () => {} })
  command.parse(args, { from: 'user' })
  return await toOrders(command.args, command.opts<Given & { from?: string }>())
}

async function parameterOf(...args: string[]) {
  const [order] = await ordersOf(...args, PAGE)
  return order?.request.screenshotParameter
}

async function newFile(text: string, name = 'file'): Promise<string> {
  const path = join(await makeFolder(), name)
  await writeFile(path, text)
  return path
}

describe('an option of the command', () => {
  const preset = { width: 1200, height: 720 }

  test.each<[string[], object]>([
    [[], preset],
    [['--width', '800'], { ...preset, width: 800 }],
    [['--size', '390x844'], { width: 390, height: 844 }],
    [
      ['--size', '390x844', '--size', '1280X800'],
      {
        sizes: [
          { width: 390, height: 844 },
          { width: 1280, height: 800 },
        ],
      },
    ],
    [['--full-page'], { ...preset, fullPage: true }],
    [['--device', 'iPhone 15'], { device: 'iPhone 15' }],
    [['--device', 'iPhone 15', '--height', '500'], { device: 'iPhone 15', height: 500 }],
    [['--scale', '1.5'], { ...preset, deviceScaleFactor: 1.5 }],
    [['--color-scheme', 'dark'], { ...preset, colorScheme: 'dark' }],
    [['--reduced-motion'], { ...preset, reducedMotion: true }],
    [['--user-agent', 'me', '--locale', 'de-DE'], { ...preset, userAgent: 'me', locale: 'de-DE' }],
    [['--timezone', 'Europe/Berlin'], { ...preset, timezone: 'Europe/Berlin' }],
    [['--decline-cookies'], { ...preset, cookieBanners: 'decline' }],
    [
      ['--click', '#menu', '--click', 'a[title="x"];1s'],
      { ...preset, clicks: [{ elementId: '#menu' }, { elementId: 'a[title="x"]', loadingTime: 1000 }] },
    ],
    [['--wait-for', '#ready', '--delay', '2s'], { ...preset, waitFor: '#ready', delay: 2000 }],
    [['--hide', '.ad', '--hide', '#chat'], { ...preset, hide: ['.ad', '#chat'] }],
    [['--element', 'main'], { ...preset, element: 'main' }],
    [
      ['--area', 'upperhalf', '--style', 'macos-simple-dark'],
      { ...preset, area: 'upperhalf', style: 'macos-simple-dark' },
    ],
    [
      ['--effect', 'roundcorners:12', '--effect', 'shadow'],
      { ...preset, effects: [{ effect: 'roundcorners', options: { radius: 12 } }, { effect: 'shadow' }] },
    ],
    [['--tag', 'a', '--tag', 'b'], { ...preset, tags: ['a', 'b'] }],
  ])('%j', async (args, parameter) => {
    expect(await parameterOf(...args)).toEqual(parameter)
  })

  test('can be given only once if a second value would replace the first', async () => {
    await expect(parameterOf('--width', '390', '--width', '1280')).rejects.toThrow(
      'It was already given. For several windows: --size 390x844 --size 1280x800',
    )
    await expect(parameterOf('--area', 'topleft', '--area', 'topright')).rejects.toThrow('given only once')
    await expect(parameterOf('--size', '1x1', '--width', '5')).rejects.toThrow(
      '--size is a whole window: give it without --width and --height',
    )
  })

  test('for time or status becomes a field of the pages or of the request', async () => {
    const [order] = await ordersOf('--loading-time', '30s', '--fail-on-status', PAGE)
    expect(order?.request).toMatchObject({ failOn: 'status', urls: [{ url: PAGE, loadingTime: 30_000 }] })
  })

  test('reads a style sheet from a file', async () => {
    expect(await parameterOf('--css', await newFile('a { color: red }'))).toMatchObject({
      css: 'a { color: red }',
    })
    await expect(parameterOf('--css', '/nowhere.css')).rejects.toThrow('--css: there is no file /nowhere.css')
  })

  test('exists for every option of the contract', async () => {
    const command = addRequestOptions(new Command())
    const file = await newFile('x')
    const values: Record<string, string> = {
      size: '1x2',
      width: '1',
      height: '1',
      scale: '2',
      header: `A: @${file}`,
      cookie: `a=@${file}`,
      ...{ delay: '1s', loadingTime: '1s', css: file, area: AREAS[0], style: STYLES[0], effect: 'shadow' },
      loginPassword: `@${file}`,
    }
    const args = command.options
      .filter((option) => !['--width', '--height'].includes(option.long ?? ''))
      .flatMap((option) => [
        option.long ?? '',
        ...(option.required ? [values[option.attributeName()] ?? 'x'] : []),
      ])
    const made = Object.keys((await parameterOf(...args)) ?? {})
    expect(Object.keys(createOptions()).filter((name) => !made.includes(name))).toEqual([])
  })
})

describe('a secret', () => {
  test('comes from a file or a variable', async () => {
    vi.stubEnv('TOKEN_FOR_TEST', 'Bearer 123')
    const file = await newFile('s3cret\n')
    expect(
      await parameterOf('--header', 'Authorization: env:TOKEN_FOR_TEST', '--cookie', `session=@${file}`),
    ).toMatchObject({
      headers: { Authorization: 'Bearer 123' },
      cookies: [{ name: 'session', value: 's3cret' }],
    })
    const login = ['--login-username-field', '#u', '--login-password-field', '#p', '--login-button', '#b']
    const origins = ['https://sso.example.com', 'https://id.example.com']
    login.push(...origins.flatMap((origin) => ['--login-origin', origin]))
    expect(
      await parameterOf(...login, '--login-username', 'ada', '--login-password', `@${file}`),
    ).toMatchObject({
      loginParameter: {
        username: { elementId: '#u', username: 'ada' },
        password: { elementId: '#p', password: 's3cret' },
        loginButton: { elementId: '#b' },
        origins,
      },
    })
    vi.unstubAllEnvs()
  })

  test.each([
    [
      ['--header', 'Authorization: Bearer s3cret'],
      '--header Authorization: everyone on this machine can read',
    ],
    [['--header', 's3cret'], '--header must look like "Authorization: @file"'],
    [['--cookie', 'session=s3cret'], '--cookie session: everyone on this machine can read'],
    [['--cookie', 's3cret'], '--cookie must look like session=@file'],
    [['--cookie', 'session=env:NOT_SET_ANYWHERE'], 'the variable NOT_SET_ANYWHERE is not set'],
    [
      ['--login-password', 's3cret'],
      'a login also needs --login-username-field, --login-password-field, --login-b',
    ],
  ])('%j is refused without repeating the secret', async (args, message) => {
    const error = await parameterOf(...args).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toContain(message)
    expect(error?.message).not.toContain('s3cret')
  })
})

describe('an effect', () => {
  const shadow = 'must look like shadow, or shadow:margin=40'

  test.each([
    ['blur:2.5', { effect: 'blur', options: { radius: 2.5 } }],
    ['resize:800x', { effect: 'resize', options: { width: 800 } }],
    ['resize:x600', { effect: 'resize', options: { height: 600 } }],
    ['resize:800x600', { effect: 'resize', options: { width: 800, height: 600 } }],
    ['margin:50', { effect: 'margin', options: { margin: 50 } }],
    ['shadow:blur=20,opacity=0.5', { effect: 'shadow', options: { blur: 20, opacity: 0.5 } }],
    [
      'shadow:color=#336699,bgColor=#ffffff80',
      {
        effect: 'shadow',
        options: { color: { r: 51, g: 102, b: 153, a: 1 }, bgColor: { r: 255, g: 255, b: 255, a: 0.5 } },
      },
    ],
  ])('%s', (text, effect) => {
    expect(parseEffect(text)).toEqual(effect)
  })

  test.each([
    ['round:5', 'must be one of blur, resize, roundcorners, margin, shadow'],
    ['blur', 'must look like blur:5'],
    ['blur:x', 'must look like blur:5'],
    ['resize:', 'must look like resize:800x, resize:x600 or resize:800x600'],
    ['resize:x', 'must look like resize:800x'],
    ['shadow:wide', shadow],
    ['shadow:color=red', shadow],
  ])('%s is refused', (text, message) => {
    expect(() => parseEffect(text)).toThrow(message)
  })
})

describe('a file', () => {
  const urls = [{ url: PAGE, name: 'Home', width: 7 }]

  test('of lines holds URLs and names', async () => {
    const file = await newFile(`# pages\n\n${PAGE}a Our shop\r\n${PAGE}b\n`)
    const [order, ...others] = await ordersOf('--from', file, PAGE)
    expect(others).toEqual([])
    expect(order?.request).toEqual({
      screenshotParameter: { width: 1200, height: 720 },
      urls: [
        { url: PAGE, name: 'example.com' },
        { url: `${PAGE}a`, name: 'Our shop' },
        { url: `${PAGE}b`, name: 'example.com/b' },
      ],
    })
  })

  test('of JSON holds a request or a list of requests; options of the command replace theirs', async () => {
    const requests = [
      { screenshotParameter: { width: 1, height: 2, tags: ['a'] }, urls },
      { screenshotParameter: { sizes: [{ width: 3, height: 4 }] }, urls, failOn: 'status' },
    ]
    const one = await newFile(JSON.stringify(requests[0]))
    expect((await ordersOf('--from', one)).map(({ request }) => request)).toEqual([requests[0]])
    const marked = await newFile(`\uFEFF${JSON.stringify(requests[0])}\r\n`)
    expect((await ordersOf('--from', marked)).map(({ request }) => request)).toEqual([requests[0]])
    const list = await newFile(JSON.stringify(requests))
    expect((await ordersOf('--from', list)).map(({ request }) => request)).toEqual(requests)
    const changed = await ordersOf('--from', list, '--tag', 'b', '--size', '5x6', '--loading-time', '1s')
    expect(changed.map(({ request }) => request)).toEqual(
      requests.map((request) => ({
        ...request,
        screenshotParameter: { tags: ['b'], width: 5, height: 6 },
        urls: [{ ...urls[0], loadingTime: 1000 }],
      })),
    )
  })

  test('is named in errors about its content; other errors name an option or a URL', async () => {
    const list = await newFile(JSON.stringify([{ urls }, { urls }]), 'requests.json')
    const [, second] = await ordersOf('--from', list)
    expect(second?.tell({ pointer: '#/urls/0/url', detail: 'must be' })).toBe(
      `${list}, request 2: #/urls/0/url must be`,
    )
    const [order] = await ordersOf(PAGE)
    expect(
      [
        '#/screenshotParameter/deviceScaleFactor',
        '#/screenshotParameter/colorScheme',
        '#/screenshotParameter/effects/1/options/radius',
        '#/urls/0/url',
        '#/urls/0/name',
        '#/urls',
      ].map((pointer) => order?.tell({ pointer, detail: 'must be' })),
    ).toEqual([
      '--scale must be',
      '--color-scheme must be',
      '--effect 2/options/radius must be',
      `${PAGE} must be`,
      `${PAGE} name must be`,
      '#/urls must be',
    ])
  })

  test.each([
    ['{"urls": [', [], 'is not valid JSON: see its end'],
    ['{"password": s3cret}', [], 'is not valid JSON'],
    ['{\n"password":\n"s3cret" x}', [], 'is not valid JSON: see line 3 column 10'],
    ['[]', [], 'there is no address to capture'],
    ['\n# nothing\n', [], 'there is no address to capture'],
    ['{}', [PAGE], 'the requests already contain addresses'],
  ])('%j with %j is refused', async (text, args, message) => {
    const error = await ordersOf('--from', await newFile(text), ...args).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toContain(message)
    expect(error?.message).not.toContain('s3cret')
  })

  test('that is missing, or standard input given twice, is refused', async () => {
    await expect(ordersOf('--from', '/nowhere.json')).rejects.toThrow(
      '--from: there is no file /nowhere.json',
    )
    await expect(ordersOf('--from', '-', '-')).rejects.toThrow('the input can be read only once')
  })
})

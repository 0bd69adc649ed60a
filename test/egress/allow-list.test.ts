import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAllowList } from '../../src/egress/allow-list.ts'
import { anyCharacter } from '../support/runner/any-character.ts'

describe('an empty list allows nothing', () => {
  test.each(['', '   ', '\n'])('%j', (text) => {
    const list = parseAllowList(text)
    expect(list.allowsName('localhost', 80)).toBe(false)
    expect(list.allowsAddress('127.0.0.1', 80)).toBe(false)
    expect(list.allowsAddress('::1', 80)).toBe(false)
  })
})

test.each([
  ['staging.internal', 'staging.internal', 443, true],
  ['staging.internal', 'STAGING.Internal.', 80, true],
  ['Staging.Internal.', 'staging.internal', 80, true],
  ['staging.internal', 'a.staging.internal', 80, false],
  ['staging.internal', 'xstaging.internal', 80, false],
  ['staging.internal:443', 'staging.internal', 443, true],
  ['staging.internal:443', 'staging.internal', 80, false],
  ['*.internal', 'a.internal', 80, true],
  ['*.internal', 'a.b.internal', 80, true],
  ['*.internal', 'internal', 80, false],
  ['*.internal', 'ainternal', 80, false],
  ['*.Internal.:8080', 'a.internal', 8080, true],
  ['*.internal:8080', 'a.internal', 80, false],
  ['bücher.internal', 'xn--bcher-kva.internal', 80, true],
  ['under_score', 'under_score', 80, true],
  [' a , b ', 'b', 80, true],
  ['a:1,a:2', 'a', 2, true],
  ['10.0.0.1', '10.0.0.1', 80, false],
] as const)('%j, name %s, port %i: %j', (text, name, port, allowed) => {
  expect(parseAllowList(text).allowsName(name, port)).toBe(allowed)
})

test.each([
  ['10.1.2.3', '10.1.2.3', 80, true],
  ['10.1.2.3', '10.1.2.4', 80, false],
  ['10.1.2.3:443', '10.1.2.3', 443, true],
  ['10.1.2.3:443', '10.1.2.3', 80, false],
  ['10.1.0.0/16', '10.1.255.255', 80, true],
  ['10.1.0.0/16', '10.2.0.0', 80, false],
  ['10.1.2.3/16', '10.1.0.0', 80, true],
  ['10.1.0.0/16:8080', '10.1.0.1', 8080, true],
  ['10.1.0.0/16:8080', '10.1.0.1', 80, false],
  ['10.1.2.3/32', '10.1.2.3', 80, true],
  ['0.0.0.0/0', '127.0.0.1', 80, true],
  ['0.0.0.0/0', '::1', 80, false],
  ['fd00::1', 'fd00:0::1', 80, true],
  ['FD00::1', 'fd00::1', 80, true],
  ['fd00::1:443', 'fd00::1', 443, false],
  ['[fd00::1]', 'fd00::1', 80, true],
  ['[fd00::1]:443', 'fd00::1', 443, true],
  ['[fd00::1]:443', 'fd00::1', 80, false],
  ['fd00::/8', 'fdff::1', 80, true],
  ['[fd00::/8]:443', 'fdff::1', 443, true],
  ['[fd00::/8]:443', 'fdff::1', 80, false],
  ['[fd00::/8]', 'fe00::1', 80, false],
  ['::/0', '::1', 80, true],
  // For BlockList alone these two would be the same.
  ['::/0', '127.0.0.1', 80, false],
  ['::ffff:0:0/96', '127.0.0.1', 80, false],
  ['127.0.0.1', '::ffff:127.0.0.1', 80, false],
  ['::ffff:127.0.0.1', '::ffff:7f00:1', 80, true],
  ['fe80::/10', 'fe80::1%eth0', 80, false],
  ['localhost', '127.0.0.1', 80, false],
  ['10.0.0.0/8', 'ten', 80, false],
] as const)('%j, address %s, port %i: %j', (text, address, port, allowed) => {
  expect(parseAllowList(text).allowsAddress(address, port)).toBe(allowed)
})

test.each([
  ['http://staging.internal', 'leave the scheme'],
  ['https://staging.internal/', 'leave the scheme'],
  ['staging.internal/path', 'leave the path away'],
  ['stag ing', 'write a name'],
  ['a b', 'write a name'],
  ['*', 'write a name'],
  ['*.', 'write a name'],
  ['*.*.internal', 'write a name'],
  ['a.*.internal', 'write a name'],
  ['*internal', 'write a name'],
  ['.internal', 'write a name'],
  ['a..b', 'write a name'],
  ['user@host', 'write a name'],
  ['ex%61mple', 'write a name'],
  ['host?', 'write a name'],
  ['host#', 'write a name'],
  ['ho\\st', 'write a name'],
  ['ho\tst', 'write a name'],
  [`${'a'.repeat(64)}.internal`, 'write a name'],
  ['host:0', '1 to 65535'],
  ['host:65536', '1 to 65535'],
  ['host:', '1 to 65535'],
  ['host:http', '1 to 65535'],
  ['host:-1', '1 to 65535'],
  ['host: 80', '1 to 65535'],
  ['[fd00::1]:', '1 to 65535'],
  ['[fd00::1]443', 'write IPv6 as'],
  ['[fd00::1', 'write IPv6 as'],
  ['[fe80::1%eth0]', 'write an address'],
  ['fd00::/8:443', '[fd00::/8]:443'],
  ['host:80:80', 'write IPv6 as'],
  ['[host]', 'only IPv6'],
  ['[10.0.0.1]', 'only IPv6'],
  ['10.0.0.0/33', 'a range such as'],
  ['10.0.0.0/', 'a range such as'],
  ['10.0.0.0/8/8', 'a range such as'],
  ['10.0.0.0/-1', 'a range such as'],
  ['10.0.0.0/255.0.0.0', 'a range such as'],
  ['fd00::/129', 'a range such as'],
  ['127.1', 'write the address as 127.0.0.1'],
  ['0x7f000001', 'write the address as 127.0.0.1'],
  ['*.10.0.0.1', 'write the address as 10.0.0.1'],
  ['10.0.0.256', 'write a name'],
  ['a,,b', 'empty entry'],
  ['a,', 'empty entry'],
  [',', 'empty entry'],
])('refuses %j: %s', (text, what) => {
  expect(() => parseAllowList(text)).toThrow(what)
})

test('names the wrong entry of several', () => {
  expect(() => parseAllowList('ok.internal, bad one ,10.0.0.0/8')).toThrow('has the entry "bad one":')
})

describe('any text', () => {
  const hosts = [
    'a',
    '*.b',
    '10.0.0.1',
    '10.0.0.0/8',
    '[fd00::1]',
    'fd00::/8',
    '0x7f.1',
    'http://a',
    '::',
    '%61',
  ]
  const pieces = fc.constantFrom(
    ...hosts,
    ':',
    ':80',
    '/',
    '/8',
    '[',
    ']',
    '*',
    '.',
    ',',
    ' ',
    '@',
    '\\',
    '%',
    '１',
  )
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(pieces, { maxLength: 8 }).map((all) => all.join('')),
  )

  test('is read, or refused with an Error that completes the sentence', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseAllowList(text)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          expect((error as Error).message).toMatch(/^has (the entry ".*": |an empty entry: ).+$/s)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  const entry =
    /^(\*\.)?[\p{L}\p{N}\p{M}_.。．｡-]+\.?(:\d{1,5})?$|^[\d.]+(\/\d+)?(:\d{1,5})?$|^\[?[\da-f:./]+\]?(:\d{1,5})?$/iu
  test('is read only as names and addresses: no scheme, path, space, user or escape', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseAllowList(text)
        } catch {
          return
        }
        const entries = text.trim() === '' ? [] : text.split(',').map((part) => part.trim())
        for (const one of entries.filter((part) => /^[\x20-\x7e]*$/.test(part))) expect(one).toMatch(entry)
      }),
      { numRuns: 3_000 },
    )
  })
})

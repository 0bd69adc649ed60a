import { expect, test } from 'vitest'
import type { CaptureOptions } from '../../src/contract/capture-options.ts'
import {
  readOptions,
  readOwnOptions,
  writeOptions,
  writeOwnOptions,
} from '../../src/store/sql/captures/columns.ts'

test('options are read as they were written', () => {
  const tags = ['', 'say "no" \\', '🦊']
  const options: CaptureOptions = { width: 1, height: 65_535, fullPage: true, tags, failOn: 'status' }
  expect(readOptions(writeOptions(options))).toEqual(options)
})

test('a row older than an option does not have it', () => {
  expect(readOptions('{"width":1200,"height":720,"fullPage":false,"tags":[]}')).toEqual({
    ...{ width: 1200, height: 720, fullPage: false, tags: [] },
  })
})

test('an option that only a later version knows is kept', () => {
  const text = '{"width":1200,"height":720,"fullPage":false,"tags":[],"later":[1]}'
  expect(JSON.parse(writeOptions(readOptions(text)))).toEqual(JSON.parse(text))
})

test('a page without own options has none, even if it was queued before pages could have any', () => {
  expect([undefined, {}].map(writeOwnOptions)).toEqual([null, null])
  expect([null, ''].map(readOwnOptions)).toEqual([undefined, undefined])
  expect(readOwnOptions(writeOwnOptions({ width: 390 }))).toEqual({ width: 390 })
})

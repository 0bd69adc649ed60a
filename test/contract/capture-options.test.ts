import { expect, test } from 'vitest'
import { type CaptureOptions, viewOf } from '../../src/contract/capture-options.ts'
import { optionsOfPage } from '../../src/contract/options-of-page.ts'

const SIZE = { width: 1200, height: 720 }

test('a page has the options of its request unless it has its own', () => {
  const all: CaptureOptions = { ...SIZE, fullPage: false, tags: ['a'], failOn: 'status' }
  expect(optionsOfPage(all, undefined)).toEqual({ ...SIZE, fullPage: false, failOn: 'status' })
  expect(optionsOfPage(all, { width: 390, fullPage: true })).toEqual({
    ...{ width: 390, height: 720, fullPage: true, failOn: 'status' },
  })
})

test('a view holds the options that change how a picture looks, in a fixed order', () => {
  const options = { failOn: 'status' as const, fullPage: true, height: 1, width: 2 }
  expect(JSON.stringify(viewOf(options))).toBe('{"width":2,"height":1,"fullPage":true}')
})

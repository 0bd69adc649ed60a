import { expect, test } from 'vitest'
import { nearestName } from '../../src/contract/nearest-name.ts'

const KNOWN = ['width', 'height', 'fullPage', 'waitFor', 'tags', 'css']

test.each([
  ['Width', 'width'],
  ['fullpage', 'fullPage'],
  ['wdth', 'width'],
  ['widthh', 'width'],
  ['wodth', 'width'],
  ['heigth', 'height'],
  ['waitfro', 'waitFor'],
  ['tag', 'tags'],
])('%s suggests %s', (name, meant) => {
  expect(nearestName(name, KNOWN)).toBe(meant)
})

test.each(['', 'w', 'cs', 'wid', 'hgt', 'widthheight', 'css1x', 'thgieh'])('%j suggests nothing', (name) => {
  expect(nearestName(name, KNOWN)).toBeUndefined()
})

import { describe, expect, test } from 'vitest'
import { parseScreenshotRequest } from '../../src/contract/screenshot-request.ts'
import { LIMITS } from '../support/http/limits.ts'
import { newPage } from '../support/http/requests.ts'

describe('options that are too long for lists, which show them with each picture,', () => {
  const hide = (count: number) => Array.from({ length: count }, () => 'x'.repeat(990))
  const ask = (shared: object, ...own: object[]) => {
    const urls = own.map((options) => ({ ...newPage(), ...options }))
    const screenshotParameter = { width: 1200, height: 720, ...shared }
    return parseScreenshotRequest({ screenshotParameter, urls }, { ...LIMITS, urls: 20 })
  }

  test('are refused, for all pages or for one', () => {
    expect(ask({ hide: hide(25) }, {}).mistakes).toMatchObject([
      { pointer: '#/screenshotParameter', detail: expect.stringContaining('the limit is 20000') },
    ])
    expect(ask({ hide: hide(10) }, {}, { css: 'x'.repeat(9_999) }).mistakes).toMatchObject([
      { pointer: '#/urls/1' },
    ])
  })

  test('are refused once for a page that is captured in several sizes', () => {
    const sizes = [300, 400, 500].map((width) => ({ width, height: 100 }))
    expect(ask({ sizes }, { hide: hide(25) }).mistakes).toMatchObject([{ pointer: '#/urls/0' }])
  })

  test('are accepted up to the limit, and secrets do not count', () => {
    const cookies = Array.from({ length: 40 }, (_, index) => ({
      name: `a${index}`,
      value: 'x'.repeat(2_000),
    }))
    expect(ask({ hide: hide(15), cookies }, {}, { hide: hide(2) }).mistakes).toBeUndefined()
  })
})

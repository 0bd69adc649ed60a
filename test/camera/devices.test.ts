import { devices } from 'playwright-core'
import { expect, test } from 'vitest'
import { DEVICES } from '../../src/contract/options/devices.ts'

test('the devices that a request may name are those of Playwright, with their window and scale', () => {
  const registry = Object.entries(devices).map(([name, { viewport, deviceScaleFactor }]) => [
    name,
    [viewport.width, viewport.height, deviceScaleFactor],
  ])
  expect(DEVICES).toEqual(Object.fromEntries(registry))
})

import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { AREAS, type Effect, STYLES } from '../../src/contract/options/finish.ts'
import { type Finish, knownSize, planSizes } from '../../src/contract/picture-sizes.ts'
import { finishPicture, TooManyPixels } from '../../src/picture/finish.ts'
import { rounds } from '../support/runner/rounds.ts'
import { plain } from './picture-of.ts'

const RULES = { maxPixels: 40_000, signal: new AbortController().signal }

const side = fc.integer({ min: 1, max: 300 })
const color = fc.record({
  ...{ r: fc.nat(255), g: fc.nat(255), b: fc.nat(255) },
  a: fc.double({ min: 0, max: 1, noNaN: true }),
})
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({
    effect: fc.constant('blur' as const),
    options: fc.record({ radius: fc.double({ min: 0, max: 60, noNaN: true }) }),
  }),
  fc.record({
    effect: fc.constant('resize' as const),
    options: fc.oneof(
      fc.record({ width: side }),
      fc.record({ height: side }),
      fc.record({ width: side, height: side }),
    ),
  }),
  fc.record({
    effect: fc.constant('roundcorners' as const),
    options: fc.record({ radius: fc.double({ min: 0, max: 400, noNaN: true }) }),
  }),
  fc.record({
    effect: fc.constant('margin' as const),
    options: fc.record({ margin: fc.nat(30) }, { requiredKeys: [] }),
  }),
  fc.record({
    effect: fc.constant('shadow' as const),
    options: fc.record(
      {
        margin: fc.nat(30),
        blur: fc.double({ min: 0, max: 100, noNaN: true }),
        offset: fc.nat(50),
        opacity: fc.double({ min: 0, max: 1, noNaN: true }),
        color,
        bgColor: color,
      },
      { requiredKeys: [] },
    ),
  }),
)
const finish: fc.Arbitrary<Finish> = fc.record(
  {
    area: fc.constantFrom(...AREAS),
    style: fc.constantFrom(...STYLES),
    deviceScaleFactor: fc.double({ min: 1, max: 3, noNaN: true }),
    effects: fc.array(effect, { maxLength: 6 }),
  },
  { requiredKeys: [] },
)

test('any chain gives a picture of the planned size, or fails if the plan exceeds the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 120 }),
      finish,
      async (width, height, options) => {
        const planned = planSizes(knownSize(width, height), options).map(
          ({ size }) => [size.width.least, size.height.least] as const,
        )
        const isTooLarge = planned.some(([across, down]) => across * down > RULES.maxPixels)
        const finished = finishPicture(await plain(width, height), options, RULES)
        if (isTooLarge) {
          await expect(finished).rejects.toThrow(TooManyPixels)
          return
        }
        const found = await sharp(await finished).metadata()
        expect([found.format, found.width, found.height]).toEqual([
          'png',
          ...(planned.at(-1) ?? [width, height]),
        ])
      },
    ),
    { numRuns: rounds(120) },
  )
})

test('a picture of an aborted capture is not finished', async () => {
  const over = AbortSignal.abort(new Error('the service stops'))
  const finished = finishPicture(await plain(10, 10), { area: 'topleft' }, { ...RULES, signal: over })
  await expect(finished).rejects.toThrow('the service stops')
})

test('a chain whose steps together make more than ten of the largest picture does not begin', async () => {
  const blurs = (count: number) =>
    Array.from({ length: count }, () => ({ effect: 'blur', options: { radius: 0 } }) as const)
  const largest = await plain(200, 200)
  await expect(finishPicture(largest, { effects: blurs(11) }, RULES)).rejects.toThrow(
    'Effect 11 (blur) makes 440000 pixels together with the steps before it, more than 10 × MAX_PICTURE_PIXELS (40000).',
  )
  expect((await finishPicture(largest, { effects: blurs(10) }, RULES)).length).toBeGreaterThan(0)
})

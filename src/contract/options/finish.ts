import { Optional, rule, type Schema, STRICT, type Static, Type } from '../schema.ts'
import { isNothing } from './given.ts'

// Work on a picture after it was taken: it is cropped (area), then framed (style), then the effects follow in their order.

const MAX_EFFECTS = 50
/** Pictures are limited by their pixels. This only keeps sums small. */
const MAX_SIDE = 65_535

export const AREAS = [
  'topleft',
  'topright',
  'bottomleft',
  'bottomright',
  'centercenter',
  'upperhalf',
  'lowerhalf',
  'leftside',
  'rightside',
] as const
export type Area = (typeof AREAS)[number]

export const STYLES = ['macos-simple-dark', 'macos-simple-light'] as const
export type Style = (typeof STYLES)[number]

export const Area = Type.Enum(AREAS, {
  description: 'Only this part of the picture: a quarter, the middle quarter, or a half.',
})

export const Style = Type.Enum(STYLES, {
  description:
    'The title bar of a window above the picture, with round and transparent upper corners. The picture becomes 36 pixels ' +
    'higher, times its scale.',
})

const Length = (maximum: number, example: number, description: string) =>
  Type.Number({ minimum: 0, maximum, description, examples: [example] })
const Pixels = (maximum: number, example: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description, examples: [example] })
const Side = (example: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_SIDE, description, examples: [example] })
const Part = (description: string) => Type.Integer({ minimum: 0, maximum: 255, description, examples: [51] })

const Color = (description: string) =>
  Type.Object(
    {
      ...{ r: Part('Red.'), g: Part('Green.'), b: Part('Blue.') },
      a: Type.Number({ minimum: 0, maximum: 1, description: 'Opacity.', examples: [1] }),
    },
    { ...STRICT, description },
  )

const effect = <const Name extends string, Options extends Schema>(name: Name, options: Options) =>
  Type.Object({ effect: Type.Literal(name), options }, { ...STRICT, title: name })

const ignored = { description: 'A parameter of other effects. It is ignored.', deprecated: true }
/** The original product ignores parameters of other effects, and scripts send them. */
const IGNORED: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    ['radius', 'width', 'height', 'margin', 'blur', 'offset', 'opacity'].map((name) => [
      name,
      Optional.Number(ignored),
    ]),
  ),
  ...Object.fromEntries(['color', 'bgColor'].map((name) => [name, Optional.Object({}, ignored)])),
}

const parameters = <const P extends Readonly<Record<string, Schema>>>(properties: P, more: object = {}) => {
  const others = Object.entries(IGNORED).filter(([name]) => !Object.hasOwn(properties, name))
  return Type.Object<P>(
    { ...properties, ...Object.fromEntries(others) },
    { ...STRICT, description: 'The parameters of the effect.', ...more },
  )
}

const Blur = effect('blur', parameters({ radius: Length(1_000, 5, 'Standard deviation, in pixels.') }))

const Resize = effect(
  'resize',
  parameters(
    {
      width: Type.Optional(Side(800, 'In pixels. Without it, scaled along with the height.')),
      height: Type.Optional(Side(600, 'In pixels. Without it, scaled along with the width.')),
    },
    { [rule]: problemOfResize },
  ),
)

const Roundcorners = effect(
  'roundcorners',
  parameters({
    radius: Length(MAX_SIDE, 12, 'In pixels, at most half of a side. The corners become transparent.'),
  }),
)

const Margin = effect(
  'margin',
  Type.Optional(
    parameters({
      margin: Type.Optional(Pixels(MAX_SIDE, 50, 'Transparent pixels on all four sides. Without it, none.')),
    }),
  ),
)

const Shadow = effect(
  'shadow',
  Type.Optional(
    parameters({
      margin: Type.Optional(Pixels(100, 40, 'The picture grows by it on all four sides. Without it 40.')),
      blur: Type.Optional(Length(100, 15, 'Standard deviation, in pixels. Without it 15.')),
      offset: Type.Optional(Pixels(50, 0, 'Downwards, in pixels. Without it 0.')),
      opacity: Optional.Number({ minimum: 0, maximum: 1, description: 'Without it 0.3.', examples: [0.3] }),
      color: Type.Optional(Color('Of the shadow. Without it black.')),
      bgColor: Type.Optional(Color('Behind everything. Without it transparent.')),
    }),
  ),
)

const EFFECTS = [Blur, Resize, Roundcorners, Margin, Shadow]
const Effect = Type.OneOf('effect', EFFECTS, { title: 'effect' })

export type Effect = Readonly<Static<typeof Effect>>

export const Effects = Type.Array(Effect, {
  maxItems: MAX_EFFECTS,
  description:
    'Applied to the picture in this order. No step may make it larger than MAX_PICTURE_PIXELS. All steps together may make at ' +
    'most ten times as many pixels.',
  examples: [
    [
      { effect: 'roundcorners', options: { radius: 12 } },
      { effect: 'shadow', options: {} },
    ],
  ],
})

function problemOfResize({ width, height }: { width?: unknown; height?: unknown }): string | undefined {
  return isNothing(width) && isNothing(height) ? 'must have a width, a height, or both' : undefined
}

/** The parameters of an effect that it ignores. */
export function ignoredBy({ effect, options = {} }: Effect): string[] {
  const kind = EFFECTS.find(({ properties }) => properties?.['effect']?.['const'] === effect)
  const known = kind?.properties?.['options']?.properties
  return Object.keys(options).filter((name) => known?.[name]?.['deprecated'])
}

import { Type } from '../schema.ts'
import { DEVICE_NAMES } from './devices.ts'

/** The largest window that the operator allows. */
export interface WindowLimits {
  readonly viewportWidth: number
  readonly viewportHeight: number
}

const MAX_SIZES = 10

const pixels = (maximum: number | undefined, example: number) =>
  Type.Integer({
    minimum: 1,
    ...(maximum !== undefined && { maximum }),
    description: 'Size of the browser window, in pixels.',
    examples: [example],
  })

export const createSize = (limits?: WindowLimits) => ({
  width: pixels(limits?.viewportWidth, 1_200),
  height: pixels(limits?.viewportHeight, 720),
})

export const createSizes = (limits: WindowLimits) =>
  Type.Array(Type.Object(createSize(limits), { title: 'size', additionalProperties: false }), {
    maxItems: MAX_SIZES,
    description: 'Each page is captured in each of these windows, instead of `width` and `height`.',
    examples: [
      [
        { width: 390, height: 844 },
        { width: 1280, height: 800 },
      ],
    ],
  })

export const FullPage = Type.Boolean({
  description: 'The whole page, and not only the part that the window shows.',
})

export const DeviceScaleFactor = Type.Number({
  minimum: 1,
  maximum: 3,
  description:
    'Pixels of the picture for one pixel of the page, in each direction. Default: that of the device, or 1.',
  examples: [2],
})

export const Device = Type.Enum(DEVICE_NAMES, {
  description:
    'The device to emulate: its user agent, scale and touch screen. Without `width` and `height`, also its window.',
  examples: ['iPhone 15'],
})

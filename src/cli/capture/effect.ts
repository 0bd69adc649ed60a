import type { Effect } from '../../contract/options/finish.ts'

// The short form of an effect on the command line. The contract checks how large its numbers may be.

type Make = (given: string) => Effect['options']

const EFFECTS: Record<Effect['effect'], { readonly example: string; readonly make: Make }> = {
  blur: { example: 'blur:5', make: (given) => ({ radius: toNumber(given) }) },
  resize: { example: 'resize:800x, resize:x600 or resize:800x600', make: toSides },
  roundcorners: { example: 'roundcorners:12', make: (given) => ({ radius: toNumber(given) }) },
  margin: { example: 'margin:50', make: (given) => ({ margin: toNumber(given) }) },
  shadow: {
    example: 'shadow, or shadow:margin=40,blur=15,offset=0,opacity=0.3,color=#336699',
    make: toShadow,
  },
}
const SHADOW_NUMBERS = ['margin', 'blur', 'offset', 'opacity']
const SHADOW_COLORS = ['color', 'bgColor']

export const EFFECT_NAMES: readonly string[] = Object.keys(EFFECTS)

/** `roundcorners:12`. Throws an Error whose message completes "It …". */
export function parseEffect(text: string): Effect {
  const [, name = '', given = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  if (!isEffect(name)) throw new Error(`must be one of ${EFFECT_NAMES.join(', ')}`)
  const { example, make } = EFFECTS[name]
  try {
    const options = make(given)
    return (
      options && Object.keys(options).length > 0 ? { effect: name, options } : { effect: name }
    ) as Effect
  } catch {
    throw new Error(`must look like ${example}`)
  }
}

function isEffect(name: string): name is Effect['effect'] {
  return Object.hasOwn(EFFECTS, name)
}

function toNumber(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error()
  return Number(text)
}

function toSides(text: string): { width?: number; height?: number } {
  const [, width, height] = /^(\d+)?x?(\d+)?$/.exec(text) ?? []
  if (width === undefined && height === undefined) throw new Error()
  return { ...(width && { width: Number(width) }), ...(height && { height: Number(height) }) }
}

function toShadow(text: string): Record<string, unknown> {
  const parts = text === '' ? [] : text.split(',')
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', value = ''] = part.split('=')
      if (SHADOW_NUMBERS.includes(name)) return [name, toNumber(value)]
      if (SHADOW_COLORS.includes(name)) return [name, toColor(value)]
      throw new Error()
    }),
  )
}

/** `#336699`, or `#33669980` with its opacity. */
function toColor(text: string): { r: number; g: number; b: number; a: number } {
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})([\da-f]{2})?$/i.exec(text)
  if (!parts) throw new Error()
  const [r = 0, g = 0, b = 0, a = 255] = parts
    .slice(1)
    .filter(Boolean)
    .map((part) => Number.parseInt(part, 16))
  return { r, g, b, a: Math.round((a / 255) * 100) / 100 }
}

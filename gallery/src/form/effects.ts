import type { EffectDraft, EffectName } from './draft.ts'

/** A field of an effect. */
export interface EffectField {
  readonly name: string
  readonly label: string
  /** The value if it is left empty. */
  readonly preset?: string
}

interface Kind {
  readonly label: string
  readonly fields: readonly EffectField[]
  /** What the form suggests. */
  readonly first: Readonly<Record<string, string>>
}

export const EFFECTS: Record<EffectName, Kind> = {
  roundcorners: {
    label: 'Round corners',
    fields: [{ name: 'radius', label: 'Radius' }],
    first: { radius: '16' },
  },
  shadow: {
    label: 'Shadow',
    fields: [
      { name: 'margin', label: 'Margin', preset: '40' },
      { name: 'blur', label: 'Blur', preset: '15' },
      { name: 'offset', label: 'Downwards', preset: '0' },
      { name: 'opacity', label: 'Opacity', preset: '0.3' },
      { name: 'color', label: 'Colour', preset: '#000000' },
      { name: 'bgColor', label: 'Background', preset: 'none' },
    ],
    first: {},
  },
  margin: { label: 'Margin', fields: [{ name: 'margin', label: 'Width' }], first: { margin: '40' } },
  resize: {
    label: 'Resize',
    fields: [
      { name: 'width', label: 'Width', preset: 'auto' },
      { name: 'height', label: 'Height', preset: 'auto' },
    ],
    first: { width: '800' },
  },
  blur: { label: 'Blur', fields: [{ name: 'radius', label: 'Radius' }], first: { radius: '8' } },
}

export const EFFECT_NAMES = Object.keys(EFFECTS) as EffectName[]

export function newEffect(effect: EffectName): EffectDraft {
  return { effect, options: EFFECTS[effect].first }
}

interface Color {
  readonly r: number
  readonly g: number
  readonly b: number
  readonly a: number
}

/** `#1b1b1e`, or `#1b1b1e / 0.5` if it is half transparent. Undefined: it is not a colour. */
export function readColor(text: string): Color | undefined {
  const [, digits, alpha = '1'] = /^#([0-9a-f]{6})(?:\s*\/\s*([0-9.]+))?$/i.exec(text.trim()) ?? []
  const a = Number(alpha)
  if (digits === undefined || Number.isNaN(a)) return undefined
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
  return { r, g, b, a }
}

export function writeColor({ r, g, b, a }: Color): string {
  const digits = [r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')
  return a === 1 ? `#${digits}` : `#${digits} / ${a}`
}

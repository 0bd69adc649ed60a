/** One design of the site. */
export interface Look {
  /** Part of the stylesheet's address. Each look has another one. */
  readonly name: string
  /** Which arrangement of the same pages: a letter-like column, halves, a poster, or a board of tiles. */
  readonly layout: Layout
  readonly paper: string
  /** The colour of cards, code and other boxes. */
  readonly surface: string
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly accent: string
  /** Text on the accent colour. */
  readonly onAccent: string
  readonly second: string
  /** In pixels. */
  readonly radius: number
  readonly textFont: string
  readonly headingFont: string
  /** Neighbouring pictures use different palettes. */
  readonly palettes: readonly [Palette, ...Palette[]]
}

export type Layout = 'column' | 'split' | 'poster' | 'board'

/** What a landscape is painted with, from the sky down to the ground. */
export interface Palette {
  readonly sky: string
  readonly glow: string
  readonly sun: string
  readonly far: string
  readonly mid: string
  readonly near: string
  readonly train: string
}

// On Linux the camera knows Open Sans, which comes with the package. A serif is whatever the machine has.
const SANS = "'Open Sans', 'Helvetica Neue', Arial, sans-serif"
const SERIF = 'Georgia, serif'

/** Oldest first; the last is today's. */
export const looks = [
  {
    name: 'first',
    layout: 'column',
    paper: '#f7f1e5',
    surface: '#efe6d3',
    ink: '#3b3228',
    soft: '#7a6c58',
    line: '#d8cab0',
    accent: '#a8551a',
    onAccent: '#fffaf0',
    second: '#e0a458',
    radius: 3,
    textFont: SERIF,
    headingFont: SERIF,
    palettes: [palette('#e6d3b0', '#f8ebd0', '#dd9450', '#cdb78d', '#a58a5c', '#66502f', '#a8551a')],
  },
  {
    name: 'clean',
    layout: 'split',
    paper: '#ffffff',
    surface: '#f4f7fb',
    ink: '#1b2a41',
    soft: '#5b6b82',
    line: '#dfe6ef',
    accent: '#2360ee',
    onAccent: '#ffffff',
    second: '#5cc8ff',
    radius: 8,
    textFont: SANS,
    headingFont: SANS,
    palettes: [
      palette('#a9d8fb', '#f2faff', '#ffd466', '#a3cbee', '#5b9bd9', '#1d5aa6', '#ffffff'),
      palette('#ffd3b8', '#fff5e9', '#ff8f5e', '#c5cdef', '#7d90d0', '#33468e', '#ffffff'),
      palette('#b5ead9', '#f3fdf8', '#ffdc7a', '#99d8c4', '#4bab95', '#196660', '#ffffff'),
    ],
  },
  {
    name: 'bold',
    layout: 'poster',
    paper: '#ffffff',
    surface: '#f7f0ff',
    ink: '#20132e',
    soft: '#66587a',
    line: '#e7daf6',
    accent: '#7b2ff7',
    onAccent: '#ffffff',
    second: '#f107a3',
    radius: 18,
    textFont: SANS,
    headingFont: SANS,
    palettes: [
      palette('#7b2ff7', '#ff9acb', '#ffd84d', '#c44fdc', '#8a1fc0', '#3c0a6b', '#ffd84d'),
      palette('#ff5d8f', '#ffd98a', '#fff6c2', '#f2628f', '#b5297f', '#55105f', '#fff6c2'),
      palette('#2b5bff', '#86efff', '#ffffff', '#5f90ff', '#4a35d8', '#23107a', '#ff6fb5'),
    ],
  },
  {
    name: 'night',
    layout: 'board',
    paper: '#0e1118',
    surface: '#171b26',
    ink: '#f1f3f9',
    soft: '#9aa5bd',
    line: '#272d3c',
    accent: '#1fd6a0',
    onAccent: '#04221a',
    second: '#3d8bff',
    radius: 14,
    textFont: SANS,
    headingFont: SANS,
    palettes: [
      palette('#0b1830', '#2b8ea6', '#ffe9b0', '#1b5670', '#113848', '#081820', '#1fd6a0'),
      palette('#1b1445', '#c0658f', '#ffbf94', '#57377d', '#311f57', '#150d2c', '#ffbf94'),
      palette('#05262b', '#2fb58c', '#e2fff3', '#136858', '#0c433d', '#051e1d', '#ffe9b0'),
    ],
  },
] as const satisfies readonly [Look, Look, Look, Look]

function palette(...[sky, glow, sun, far, mid, near, train]: PaletteColours): Palette {
  return { sky, glow, sun, far, mid, near, train }
}

type PaletteColours = [
  sky: string,
  glow: string,
  sun: string,
  far: string,
  mid: string,
  near: string,
  train: string,
]

/** How a made-up site looks at one time of its life. */
export interface Look {
  readonly paper: string
  readonly ink: string
  readonly soft: string
  readonly accent: string
  readonly second: string
  readonly radius: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export const pages = ['home', 'pricing', 'docs', 'blog'] as const
export type PageName = (typeof pages)[number]

/** A page of the made-up site as SVG. Text is drawn as bars: a machine without fonts shows the same. */
export function drawPage(page: PageName, look: Look, size: Size): string {
  const narrow = size.width < 600
  const margin = narrow ? 24 : Math.round(size.width * 0.08)
  const area: Area = { x: margin, y: narrow ? 88 : 112, width: size.width - 2 * margin, height: size.height }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">`,
    `<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${look.accent}"/><stop offset="1" stop-color="${look.second}"/></linearGradient></defs>`,
    box({ x: 0, y: 0, ...size }, look.paper),
    drawNavigation(look, area, narrow),
    bodies[page](look, area, narrow),
    '</svg>',
  ].join('')
}

interface Area extends Size {
  readonly x: number
  readonly y: number
}

type Draw = (look: Look, area: Area, narrow: boolean) => string

const bodies: Record<PageName, Draw> = {
  home(look, area, narrow) {
    const half = narrow ? area.width : area.width * 0.46
    const picture = narrow
      ? { x: area.x, y: area.y + 260, width: area.width, height: 220 }
      : { x: area.x + area.width - half, y: area.y + 20, width: half, height: 280 }
    return [
      lines(look.ink, area.x, area.y + 30, half, [0.95, 0.7], 38, 16),
      lines(look.soft, area.x, area.y + 150, half, [0.9, 0.84, 0.5], 12, 12),
      box({ x: area.x, y: area.y + 236, width: 150, height: 44 }, look.accent, look.radius),
      box({ x: area.x + 166, y: area.y + 236, width: 120, height: 44 }, look.soft, look.radius, 0.35),
      narrow ? '' : drawLandscape(look, picture),
      columns(area, narrow ? 1 : 3, narrow ? 300 : 350, narrow ? 120 : 190)
        .map((cell) => drawCard(look, cell))
        .join(''),
    ].join('')
  },

  pricing(look, area, narrow) {
    const centre = { x: area.x + area.width * 0.25, width: area.width * 0.5 }
    return [
      lines(look.ink, centre.x, area.y + 10, centre.width, [1], 32, 16),
      lines(look.soft, centre.x, area.y + 66, centre.width, [0.9], 12, 12),
      ...columns(area, narrow ? 1 : 3, 120, 400).map((cell, index) => {
        const chosen = index === (narrow ? 0 : 1)
        const ink = chosen ? look.paper : look.ink
        return [
          box(cell, chosen ? 'url(#g)' : look.soft, look.radius * 1.6, chosen ? 1 : 0.16),
          lines(ink, cell.x + 28, cell.y + 32, cell.width - 56, [0.45], 14, 12),
          lines(ink, cell.x + 28, cell.y + 68, cell.width - 56, [0.62], 40, 12),
          ...[0, 1, 2, 3, 4].map((row) => {
            const y = cell.y + 150 + row * 34
            return (
              circle(cell.x + 36, y + 6, 7, ink, 0.8) +
              lines(ink, cell.x + 54, y, cell.width - 90, [0.9 - row * 0.08], 11, 0, 0.7)
            )
          }),
          box(
            { x: cell.x + 28, y: cell.y + cell.height - 66, width: cell.width - 56, height: 42 },
            chosen ? look.paper : look.accent,
            look.radius,
          ),
        ].join('')
      }),
    ].join('')
  },

  docs(look, area, narrow) {
    const side = narrow ? 0 : 230
    const x = area.x + side
    const width = area.width - side
    const sections = Math.ceil((area.height - area.y) / 300)
    return [
      narrow
        ? ''
        : lines(
            look.soft,
            area.x,
            area.y + 10,
            170,
            [0.6, 0.9, 0.8, 0.7, 0.9, 0.5, 0.8, 0.6, 0.9, 0.7],
            11,
            20,
          ),
      narrow ? '' : box({ x: area.x - 14, y: area.y + 66, width: 4, height: 20 }, look.accent),
      ...Array.from({ length: sections }, (_, index) => {
        const y = area.y + index * 300
        return [
          lines(look.ink, x, y + 6, width, [0.5 - (index % 3) * 0.08], 24, 0),
          lines(look.soft, x, y + 56, width, [0.95, 0.9, 0.97, 0.6], 11, 12),
          box({ x, y: y + 162, width, height: 96 }, look.ink, look.radius, 0.92),
          lines(look.accent, x + 22, y + 182, width * 0.8, [0.4, 0.62, 0.3], 10, 12),
        ].join('')
      }),
    ].join('')
  },

  blog(look, area, narrow) {
    const rows = Math.ceil((area.height - area.y) / 180)
    return Array.from({ length: rows }, (_, index) => {
      const y = area.y + index * 180
      const picture = narrow ? 110 : 260
      return [
        drawLandscape(look, { x: area.x, y, width: picture, height: 148 }, index),
        lines(
          look.ink,
          area.x + picture + 28,
          y + 10,
          area.width - picture - 28,
          [0.7 - (index % 2) * 0.15],
          22,
          0,
        ),
        lines(look.soft, area.x + picture + 28, y + 56, area.width - picture - 28, [0.95, 0.88, 0.6], 11, 12),
        circle(area.x + picture + 38, y + 134, 10, look.accent),
        lines(look.soft, area.x + picture + 56, y + 129, 120, [1], 9, 0),
      ].join('')
    }).join('')
  },
}

const drawNavigation: Draw = (look, area, narrow) =>
  [
    circle(area.x + 16, 44, 16, 'url(#g)'),
    lines(look.ink, area.x + 44, 37, 110, [1], 14, 0),
    narrow
      ? lines(look.ink, area.x + area.width - 26, 34, 26, [1, 1, 1], 4, 5)
      : [0, 1, 2, 3]
          .map((item) => lines(look.soft, area.x + area.width - 520 + item * 100, 39, 62, [1], 10, 0))
          .join('') +
        box({ x: area.x + area.width - 104, y: 26, width: 104, height: 36 }, look.accent, look.radius),
  ].join('')

function drawCard(look: Look, cell: Area): string {
  return [
    box(cell, look.soft, look.radius * 1.4, 0.16),
    box({ x: cell.x + 24, y: cell.y + 24, width: 40, height: 40 }, 'url(#g)', look.radius),
    lines(look.ink, cell.x + 80, cell.y + 36, cell.width - 110, [0.7], 15, 0),
    lines(look.soft, cell.x + 24, cell.y + 86, cell.width - 48, [0.95, 0.8, 0.55], 10, 11),
  ].join('')
}

function drawLandscape(look: Look, { x, y, width, height }: Area, shift = 0): string {
  const at = (fx: number, fy: number) => `${Math.round(x + width * fx)},${Math.round(y + height * fy)}`
  const peak = 0.3 + (shift % 4) * 0.12
  return [
    box({ x, y, width, height }, 'url(#g)', look.radius * 1.4),
    circle(x + width * (0.8 - (shift % 3) * 0.2), y + height * 0.28, height * 0.12, look.paper, 0.85),
    `<polygon points="${at(0.04, 0.94)} ${at(peak, 0.38)} ${at(peak + 0.3, 0.94)}" fill="${look.paper}" opacity="0.55"/>`,
    `<polygon points="${at(0.36, 0.94)} ${at(peak + 0.28, 0.54)} ${at(0.96, 0.94)}" fill="${look.paper}" opacity="0.8"/>`,
  ].join('')
}

function columns(area: Area, count: number, top: number, height: number): Area[] {
  const gap = 28
  const width = (area.width - gap * (count - 1)) / count
  const rows = count === 1 ? 3 : 1
  return Array.from({ length: count * rows }, (_, index) => ({
    x: area.x + (index % count) * (width + gap),
    y: area.y + top + Math.floor(index / count) * (height + gap),
    width,
    height,
  }))
}

function lines(
  ink: string,
  x: number,
  y: number,
  width: number,
  shares: number[],
  height: number,
  gap: number,
  opacity = 1,
): string {
  return shares
    .map((share, row) =>
      box({ x, y: y + row * (height + gap), width: width * share, height }, ink, height / 2, opacity),
    )
    .join('')
}

function box({ x, y, width, height }: Area, fill: string, radius = 0, opacity = 1): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}" opacity="${opacity}"/>`
}

function circle(x: number, y: number, radius: number, fill: string, opacity = 1): string {
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}" opacity="${opacity}"/>`
}

import type { Look } from './looks.ts'

export type Scene = keyof typeof scenes

/** A view from the train as inline SVG; `variant` chooses a palette of the look. It fills whatever box it is given. */
export function drawLandscape(scene: Scene, look: Look, variant = 0): string {
  const palette = look.palettes[variant % look.palettes.length] ?? look.palettes[0]
  const colours = Object.entries(palette).map(([name, value]) => `--${name}:${value}`)
  return `<svg class="landscape" viewBox="0 0 800 500" preserveAspectRatio="xMidYMid slice" role="img" aria-label="${scene}" style="${colours.join(';')}">${scenes[scene]}</svg>`
}

const scenes = {
  viaduct: [
    circle(560, 176, 44, 'sun'),
    cloud(130, 160),
    cloud(640, 120, 0.7),
    fill('far', 'M0 250C110 170 210 170 320 225S540 160 650 190 760 220 800 205V500H0Z'),
    fill('mid', 'M0 300C140 236 240 268 360 286S620 230 800 276V500H0Z'),
    train(150, 249, 4),
    fill(
      'near',
      `M0 270H800V500H0Z${each(8, (i) => `M${18 + i * 100} 500V340a32 40 0 0 1 64 0V500Z`)}`,
      'evenodd',
    ),
  ].join(''),

  peaks: [
    circle(250, 150, 50, 'sun'),
    cloud(520, 100),
    fill('far', 'M0 380L130 220 220 310 380 130 520 300 610 220 800 400V500H0Z'),
    fill('glow', 'M380 130L433 194 404 214 384 190 360 216 330 186Z'),
    fill('glow', 'M130 220L163 253 140 262 126 250 104 252Z'),
    fill('mid', 'M0 400L110 320 260 390 470 250 640 370 720 320 800 370V500H0Z'),
    fill('glow', 'M470 250L522 290 496 304 472 286 450 308 428 282Z'),
    fill('near', 'M0 396C180 372 320 398 480 394S700 372 800 386V500H0Z'),
    trees([60, 96, 128, 640, 676, 718, 752], 392, 'near'),
    train(240, 374, 3),
  ].join(''),

  coast: [
    circle(400, 262, 84, 'sun'),
    cloud(180, 90),
    cloud(560, 140, 0.8),
    fill('mid', 'M0 270H800V500H0Z'),
    each(6, (i) => bar(400 - 84 + i * 12, 284 + i * 22, 168 - i * 24, 6, 'sun', 0.75 - i * 0.1)),
    fill('far', 'M0 270C40 236 90 228 150 240S210 262 230 270Z'),
    fill('near', 'M800 250C720 262 690 296 650 330S520 388 400 396 120 402 0 404V500H800Z'),
    fill('glow', 'M676 306L682 190H702L708 300Z'),
    fill('train', 'M680 226H704L705 252H678ZM680 190V172L692 160 704 172V190Z'),
    train(70, 380, 3),
  ].join(''),

  forest: [
    circle(600, 130, 46, 'sun'),
    fill('far', 'M0 280C200 214 340 270 480 242S700 214 800 250V500H0Z'),
    trees([40, 90, 150, 210, 290, 350, 430, 500, 560, 640, 700, 760], 282, 'far'),
    fill('mid', 'M0 344C180 310 300 364 460 336S700 320 800 336V500H0Z'),
    trees([20, 70, 110, 180, 520, 570, 630, 690, 740, 790], 350, 'mid', 1.3),
    train(200, 374, 4),
    fill('near', 'M0 394H800V500H0Z'),
    trees([10, 60, 690, 740, 790], 420, 'near', 1.8),
  ].join(''),

  city: [
    circle(285, 150, 46, 'sun'),
    cloud(520, 90),
    fill('far', 'M0 500V260H60V220H120V290H180V200L210 170 240 200V280H330V180H390V500Z'),
    fill('far', 'M400 500V240H470V200H520V270H590V150L604 110 618 150V260H700V210H760V280H800V500Z'),
    fill('mid', 'M0 500V330H90V300H150V360H230C240 250 560 250 570 360H640V310H710V340H800V500Z'),
    fill('glow', 'M262 372C272 278 528 278 538 372Z'),
    each(5, (i) => bar(308 + i * 44, 296, 6, 80, 'mid')),
    circle(400, 322, 20, 'near'),
    fill('near', 'M0 398H800V500H0Z'),
    train(180, 377, 4),
  ].join(''),

  night: [
    each(30, (i) =>
      circle(((i * 0.7549) % 1) * 800, ((i * 0.5698) % 1) * 200, 1 + (i % 3) * 0.7, 'sun', 0.8),
    ),
    circle(540, 110, 44, 'sun'),
    fill('far', 'M0 234L160 134 300 224 430 154 600 234 700 184 800 224V500H0Z'),
    fill('mid', 'M0 262C150 222 320 252 470 238S700 222 800 246V300H0Z'),
    trees([40, 84, 700, 736, 772], 268, 'near'),
    train(130, 255, 5),
    fill('near', 'M0 276H800V304C600 314 200 314 0 304Z'),
    each(6, (i) => bar(540 - 60 + i * 9, 332 + i * 22, 120 - i * 18, 5, 'sun', 0.5 - i * 0.07)),
    fill('near', 'M0 470C120 440 220 470 330 480S640 500 800 452V500H0Z'),
  ].join(''),
}

/** Of so many carriages, the left one with a nose, standing on `y` + 21. */
function train(x: number, y: number, carriages: number): string {
  return each(carriages, (i) => {
    const left = x + i * 104
    const body =
      i === 0
        ? `M${left} ${y + 20}C${left} ${y - 4} ${left + 22} ${y - 14} ${left + 40} ${y - 14}H${left + 100}V${y + 20}Z`
        : `M${left} ${y - 14}h100v34h-100Z`
    const [first, step] = i === 0 ? [left + 30, 17] : [left + 9, 21.5]
    return (
      fill('train', body) +
      fill(
        'near',
        each(4, (n) => `M${first + n * step} ${y - 6}h13v11h-13Z`),
      )
    )
  })
}

function trees(xs: readonly number[], y: number, colour: string, scale = 1): string {
  return fill(
    colour,
    xs
      .map((x, i) => {
        const [wide, high] = [(14 + (i % 3) * 2) * scale, (46 + (i % 4) * 9) * scale]
        return `M${x - wide} ${y + 12}L${x} ${y - high}L${x + wide} ${y + 12}Z`
      })
      .join(''),
  )
}

function cloud(x: number, y: number, scale = 1): string {
  return `<path class="cloud" transform="translate(${x} ${y}) scale(${scale})" fill="var(--glow)" opacity="0.7" d="M9 0a9 9 0 0 0 0 18H121a9 9 0 0 0 0-18H108a11 11 0 0 0-11-12H50a11 11 0 0 0-11 12Z"/>`
}

function fill(colour: string, path: string, rule = 'nonzero'): string {
  return `<path fill="var(--${colour})" fill-rule="${rule}" d="${path}"/>`
}

function bar(x: number, y: number, width: number, height: number, colour: string, opacity = 1): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${height / 2}" fill="var(--${colour})" opacity="${opacity.toFixed(2)}"/>`
}

function circle(x: number, y: number, radius: number, colour: string, opacity = 1): string {
  return `<circle cx="${x.toFixed(0)}" cy="${y.toFixed(0)}" r="${radius}" fill="var(--${colour})" opacity="${opacity.toFixed(2)}"/>`
}

function each(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('')
}

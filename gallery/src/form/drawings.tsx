import type { ComponentChildren } from 'preact'
import { AREAS, type Area } from '../../../src/contract/options/finish.ts'
import type { EffectName } from './draft.ts'

// Small drawings of the effect of an option. Their colours are those of the theme.

const [WIDTH, HEIGHT] = [40, 28]

/** x, y, width and height, as shares of the picture. */
const PARTS: Record<Area, readonly [number, number, number, number]> = {
  topleft: [0, 0, 0.5, 0.5],
  topright: [0.5, 0, 0.5, 0.5],
  bottomleft: [0, 0.5, 0.5, 0.5],
  bottomright: [0.5, 0.5, 0.5, 0.5],
  centercenter: [0.25, 0.25, 0.5, 0.5],
  upperhalf: [0, 0, 1, 0.5],
  lowerhalf: [0, 0.5, 1, 0.5],
  leftside: [0, 0, 0.5, 1],
  rightside: [0.5, 0, 0.5, 1],
}

export function AreaDrawing({ area }: { area: string }) {
  const part = AREAS.find((each) => each === area)
  const [x, y, width, height] = part ? PARTS[part] : [0, 0, 1, 1]
  return (
    <Drawing>
      <rect class="edge" x="1" y="1" width={WIDTH - 2} height={HEIGHT - 2} rx="2" />
      <rect
        class="part"
        x={1 + x * (WIDTH - 2)}
        y={1 + y * (HEIGHT - 2)}
        width={width * (WIDTH - 2)}
        height={height * (HEIGHT - 2)}
        rx="2"
      />
    </Drawing>
  )
}

export function FrameDrawing({ style }: { style: string }) {
  const shade = style.endsWith('dark') ? 'dark' : 'light'
  return (
    <Drawing>
      <rect class="paper" x="1" y="1" width="38" height="26" rx="3" />
      {style !== '' && <path class={`title-bar ${shade}`} d="M1 9V4a3 3 0 0 1 3-3h32a3 3 0 0 1 3 3v5Z" />}
      {style !== '' &&
        [5, 9.5, 14].map((x, index) => <circle key={x} class={`dot-${index}`} cx={x} cy="5" r="1.5" />)}
      <Content y={style === '' ? 4 : 12} />
      <rect class="edge" x="1" y="1" width="38" height="26" rx="3" />
    </Drawing>
  )
}

export function EffectDrawing({ effect }: { effect: EffectName }) {
  switch (effect) {
    case 'roundcorners':
      return (
        <Drawing>
          <rect class="outline" x="4" y="2" width="32" height="24" />
          <rect class="part" x="4" y="2" width="32" height="24" rx="8" />
        </Drawing>
      )
    case 'shadow':
      return (
        <Drawing>
          <rect class="shade" x="8" y="7" width="26" height="19" rx="2" />
          <rect class="paper" x="6" y="3" width="26" height="19" rx="2" />
          <rect class="edge" x="6" y="3" width="26" height="19" rx="2" />
        </Drawing>
      )
    case 'margin':
      return (
        <Drawing>
          <rect class="outline" x="1" y="1" width="38" height="26" />
          <rect class="part" x="8" y="6" width="24" height="16" />
        </Drawing>
      )
    case 'resize':
      return (
        <Drawing>
          <rect class="outline" x="1" y="1" width="38" height="26" />
          <rect class="part" x="1" y="11" width="22" height="16" />
          <path class="line" d="M26 9 34 4m-5 0h5v4" />
        </Drawing>
      )
    case 'blur':
      return (
        <Drawing>
          <g class="blurred">
            <Content y={4} />
          </g>
          <rect class="edge" x="1" y="1" width="38" height="26" rx="2" />
        </Drawing>
      )
  }
}

/** A page: a few lines and a picture. */
function Content({ y }: { y: number }) {
  return (
    <>
      <rect class="part" x="5" y={y} width="12" height={23 - y} rx="1" />
      <path class="line" d={`M21 ${y + 1}h13M21 ${y + 5}h10M21 ${y + 9}h12`} />
    </>
  )
}

function Drawing({ children }: { children: ComponentChildren }) {
  return (
    <svg class="drawing" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {children}
    </svg>
  )
}

import type { Layout, Look } from './looks.ts'
import { baseStyle } from './styles/base.ts'
import { boardStyle } from './styles/board.ts'
import { columnStyle } from './styles/column.ts'
import { pagesStyle } from './styles/pages.ts'
import { posterStyle } from './styles/poster.ts'
import { splitStyle } from './styles/split.ts'

const layouts: Record<Layout, string> = {
  column: columnStyle,
  split: splitStyle,
  poster: posterStyle,
  board: boardStyle,
}

/** The stylesheet of all pages: what every look shares, then what this one does differently. */
export function renderStyle(look: Look): string {
  return `:root {
  --paper: ${look.paper};
  --surface: ${look.surface};
  --ink: ${look.ink};
  --soft: ${look.soft};
  --line: ${look.line};
  --accent: ${look.accent};
  --on-accent: ${look.onAccent};
  --second: ${look.second};
  --radius: ${look.radius}px;
  --text-font: ${look.textFont};
  --heading-font: ${look.headingFont};
}
${baseStyle}${pagesStyle}${layouts[look.layout]}`
}

import { drawLandscape } from './landscape.ts'
import { type Letter, letters } from './letters.ts'
import type { Layout, Look } from './looks.ts'

/** Which letters had been written by then: the first and the last number on the page. */
const written: Record<Layout, readonly [from: number, to: number]> = {
  column: [1, 5],
  split: [1, 9],
  poster: [2, 17],
  board: [2, 24],
}

const introductions: Record<Layout, readonly [title: string, lede: string]> = {
  column: ['Letters', 'Notes from the road, written down when the view was dull.'],
  split: ['Letters', 'What we learn about trains, stations and the people who wait in them.'],
  poster: ['Letters from the window seat', 'Long stories for long journeys. Best read while moving.'],
  board: ['Letters from the window seat', 'Long stories for long journeys. A new one every other Sunday.'],
}

export function renderBlog(look: Look): string {
  const [from, to] = written[look.layout]
  const [title, lede] = introductions[look.layout]
  const shown = letters.filter(({ number }) => number >= from && number <= to)
  return `<section class="intro"><div class="wrap"><h1>${title}</h1><p class="lede">${lede}</p></div></section>
<section class="letters"><div class="wrap">${shown.map((letter, index) => renderLetter(letter, look, index)).join('\n')}</div></section>`
}

// The sum keeps neighbours in a grid of three columns from having the same colours.
function renderLetter(
  { number, title, author, minutes, scene, lede, more }: Letter,
  look: Look,
  index: number,
): string {
  return `<article>
<a class="picture" href="/blog">${drawLandscape(scene, look, index + Math.floor((index + 2) / 3))}</a>
<div>
<p class="number">Letter ${number}</p>
<h2><a href="/blog">${title}</a></h2>
<p>${lede}</p>
<p class="more">${more}</p>
<p class="by"><i>${author.charAt(0)}</i>${author}<span>${minutes} minutes</span></p>
</div>
</article>`
}

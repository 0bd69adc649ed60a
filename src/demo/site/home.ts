import { drawLandscape } from './landscape.ts'
import { callToAction } from './layout.ts'
import type { Layout, Look } from './looks.ts'

interface Welcome {
  readonly note: string
  readonly title: string
  readonly lede: string
  readonly promise: string
}

const welcomes: Record<Layout, Welcome> = {
  column: {
    note: 'A small beta for patient people',
    title: 'Plan long journeys by train, without twelve open tabs',
    lede: 'Tell us where you are and where you would like to wake up. We work out the trains in between, write them on one page, and tell you where to find a decent sandwich while you change.',
    promise: 'What it can do already',
  },
  split: {
    note: 'Now with 1,900 stations',
    title: 'The calm way to cross a continent',
    lede: 'Fernweh finds the trains between here and there, with changes you can make on foot and a window seat worth having.',
    promise: 'Less timetable, more window',
  },
  poster: {
    note: '31 countries are waiting',
    title: 'Go far.<br>Stay on the ground.',
    lede: 'Pick a place that is much too far away. We make it three good trains and one great breakfast.',
    promise: 'Everything but the sandwiches',
  },
  board: {
    note: 'New: plans that repair themselves overnight',
    title: 'Every train in Europe.<br>One quiet plan.',
    lede: 'Fernweh watches 9,800 stations while you sleep, so that you wake up to a journey that still works.',
    promise: 'Built for the long way round',
  },
}

const features = [
  ['Changes you can make', 'We know how far platform 3 is from platform 21, and we count your suitcase too.'],
  ['Night trains first', 'Sleep through the long part. We look for a berth before you look for a hotel.'],
  ['The right side', 'Each leg says on which side the lake will be, so that you book the better window.'],
  ['Plan it together', 'Share a journey, and your friends climb aboard at the station nearest to them.'],
  ['Works in tunnels', 'The whole plan lies on your phone. No signal, no account, no spinning wheel.'],
  ['Late trains, handled', 'When one train runs late we redraw the rest of the day before you have to ask.'],
] as const

const routes = [
  ['viaduct', 'Inverness to Penzance', 'Two trains, one night, and the whole island in between.', '16 h 40'],
  ['coast', 'Trieste to Lisbon', 'Four seas if you count generously. Bring a book for Spain.', '3 days'],
  ['peaks', 'Chur to Tirano', 'Slow on purpose: 55 tunnels and a lake on every side.', '4 h 10'],
] as const

const legs = [
  ['17:26', 'Copenhagen', 'Intercity, sea on the left'],
  ['22:03', 'Hamburg', 'Night train, berth 41'],
  ['08:20', 'Zürich', 'Eurocity, lake on the right'],
  ['12:10', 'Milan', ''],
] as const

export function renderHome(look: Look): string {
  const { note, title, lede, promise } = welcomes[look.layout]
  const shown = look.layout === 'board' ? features : features.slice(0, 3)
  const cards = shown.map(([name, text], index) => `<li>${icons[index]}<h3>${name}</h3><p>${text}</p></li>`)
  return `<section class="hero"><div class="wrap">
<div class="words">
<p class="note">${note}</p>
<h1>${title}</h1>
<p class="lede">${lede}</p>
<p class="actions"><a class="button" href="/pricing">${callToAction[look.layout]}</a><a class="quiet" href="/docs">See how it works</a></p>
${look.layout === 'poster' ? search : ''}
</div>
<div class="picture">${drawLandscape(look.layout === 'board' ? 'night' : 'viaduct', look)}${renderJourney()}</div>
</div></section>
<section class="features"><div class="wrap"><h2>${promise}</h2><ul>${cards.join('')}</ul></div></section>
${look.layout === 'column' ? '' : renderRoutes(look)}
<section class="voice"><div class="wrap"><blockquote><p>“I came for the timetable and left for Ljubljana. It was the first plan I ever printed out and kept.”</p><cite>Marit, who used to fly</cite></blockquote></div></section>`
}

function renderRoutes(look: Look): string {
  const cards = routes.map(
    ([scene, name, text, time], index) =>
      `<li>${drawLandscape(scene, look, index)}<div><h3>${name}</h3><p>${text}</p><small>${time}</small></div></li>`,
  )
  return `<section class="routes"><div class="wrap"><h2>Journeys people are planning this week</h2><ul>${cards.join('')}</ul></div></section>`
}

function renderJourney(): string {
  const stops = legs.map(
    ([time, place, train]) =>
      `<li><time>${time}</time><b>${place}</b>${train === '' ? '' : `<span>${train}</span>`}</li>`,
  )
  return `<div class="journey"><p><b>Copenhagen to Milan</b><small>3 trains, 1 night</small></p><ol>${stops.join('')}</ol></div>`
}

const search =
  '<p class="search"><span><small>From</small>Copenhagen</span><span><small>To</small>Somewhere warm</span><span><small>Leaving</small>Friday evening</span><a class="button" href="/docs">Find trains</a></p>'

const icons = [
  'M5 19h6v-5h6V9h6M19 5l4 4-4 4',
  'M22 17A9 9 0 1 1 12 6a7 7 0 0 0 10 11Z',
  'M5 6h18v16H5ZM5 17l6-5 4 4 3-2 5 4',
  'M10 12a4 4 0 1 0 0-.1M18 12a3 3 0 1 0 0-.1M3 22c1-5 13-5 14 0M19 18c3 0 5 1 6 4',
  'M4 23V14a10 10 0 0 1 20 0v9M10 23v-8a4 4 0 0 1 8 0v8',
  'M14 5a9 9 0 1 0 .1 0M14 9v5l4 2',
].map((path) => `<svg class="icon" viewBox="0 0 28 28" aria-hidden="true"><path d="${path}"/></svg>`)

import type { Layout, Look } from './looks.ts'

interface Plan {
  readonly name: string
  readonly price: string
  readonly per: string
  readonly pitch: string
  readonly points: readonly string[]
  readonly action: string
}

const headings: Record<Layout, readonly [title: string, lede: string]> = {
  column: [
    'What it costs',
    'Fernweh is free while we build it. If it saved you an evening of timetables, you can buy us one.',
  ],
  split: ['Simple prices, no small print', 'Plan for free. Pay a little when you travel a lot.'],
  poster: ['Cheaper than a station coffee', 'Pick a ticket. Change it or leave it whenever you like.'],
  board: [
    'One fare for every distance',
    'Start for free, upgrade before a long trip, stop when you are home.',
  ],
}

export function renderPricing(look: Look): string {
  const [title, lede] = headings[look.layout]
  const plans = look.layout === 'column' ? firstPlans : laterPlans(look.layout)
  return `<section class="intro"><div class="wrap"><h1>${title}</h1><p class="lede">${lede}</p></div></section>
<section class="plans"><div class="wrap"><ul>${plans.map(renderPlan).join('')}</ul></div></section>
<section class="questions"><div class="wrap"><h2>Questions we are asked on platforms</h2><dl>${questions
    .map(([question, answer]) => `<div><dt>${question}</dt><dd>${answer}</dd></div>`)
    .join('')}</dl></div></section>`
}

function renderPlan({ name, price, per, pitch, points, action }: Plan, index: number): string {
  return `<li${index === 1 ? ' class="chosen"' : ''}><h2>${name}</h2><p class="price"><b>${price}</b> ${per}</p><p>${pitch}</p><ul>${points
    .map((point) => `<li>${point}</li>`)
    .join('')}</ul><a class="button" href="/docs">${action}</a></li>`
}

const firstPlans: readonly Plan[] = [
  {
    name: 'Passenger',
    price: '€0',
    per: 'for as long as the beta lasts',
    pitch: 'The whole planner, with the odd rough edge. Tell us where it hurts.',
    points: ['As many journeys as you like', 'Seven countries so far', 'Plans as a page you can print'],
    action: 'Try the beta',
  },
  {
    name: 'Supporter',
    price: '€12',
    per: 'a year',
    pitch: 'The same planner and a warm feeling. You keep the coffee machine running.',
    points: ['Everything above', 'A postcard from our next trip', 'A vote on the next country'],
    action: 'Support us',
  },
]

const prices: Record<Exclude<Layout, 'column'>, readonly [middle: string, last: string]> = {
  split: ['€3', '€7'],
  poster: ['€4', '€9'],
  board: ['€5', '€12'],
}

function laterPlans(layout: Exclude<Layout, 'column'>): readonly Plan[] {
  const [middle, last] = prices[layout]
  return [
    {
      name: 'Day tripper',
      price: '€0',
      per: 'for good',
      pitch: 'For a weekend somewhere with a lake.',
      points: ['Three saved journeys', 'Changes with walking times', 'Plans that work offline'],
      action: 'Start for free',
    },
    {
      name: 'Wanderer',
      price: middle,
      per: 'a month',
      pitch: 'For people who always look at the departure board.',
      points: [
        'Journeys without number',
        'Night trains and berths',
        'Late trains, handled',
        'The right side for the view',
      ],
      action: 'Try it for a month',
    },
    {
      name: 'Companions',
      price: last,
      per: 'a month',
      pitch: 'For families, bands and very good friends.',
      points: ['Wanderer for six people', 'Join at any station on the way', 'One calendar for everybody'],
      action: 'Travel together',
    },
  ]
}

const questions = [
  [
    'Do you sell tickets?',
    'No. We tell you which ticket to buy and where it is cheapest, and we take no share of it. That way the plan is never bent towards a seller.',
  ],
  [
    'What if my train is late?',
    'Then the plan changes. You see the next good connection, what it costs to switch, and whether there is time for soup.',
  ],
  [
    'Can I leave whenever I want?',
    'Yes. Your journeys stay readable, and you can take all of them with you as one calendar file.',
  ],
  [
    'Why is there no app?',
    'Because the page already does everything. Put it on your home screen and it works in tunnels as well.',
  ],
] as const

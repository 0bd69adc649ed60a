import type { Layout, Look } from './looks.ts'

const chapters: readonly (readonly [heading: string, pages: readonly string[]])[] = [
  ['Begin', ['Your first journey', 'Saving and sharing', 'On your phone']],
  ['On the way', ['How we count a change', 'Night trains', 'When a train is late', 'Bicycles and dogs']],
  ['For programs', ['Asking for connections', 'Calendar feed', 'Limits']],
]

const bases: Record<Layout, string> = { column: 'beta', split: 'v1', poster: 'v2', board: 'v3' }

export function renderDocs(look: Look): string {
  const menu = chapters.map(
    ([heading, pages]) =>
      `<div><h2>${heading}</h2><ul>${pages
        .map(
          (page) =>
            `<li><a href="/docs"${page === 'Your first journey' ? ' aria-current="page"' : ''}>${page}</a></li>`,
        )
        .join('')}</ul></div>`,
  )
  return `<div class="wrap guide">
<nav class="chapters" aria-label="Chapters"><p>In this guide: <b>Your first journey</b></p>${menu.join('')}</nav>
<article>
<p class="trail">Guide / Begin</p>
<h1>Your first journey</h1>
<p class="lede">In five minutes you will have a plan that takes you across three borders, with time for lunch. You need two places and a rough idea of when.</p>
${planning}
${changing}
${late}
${asking(bases[look.layout])}
${calendar}
</article>
</div>`
}

const planning = `<h2>Choose two places</h2>
<p>Type the name of a town, not of a station. Fernweh knows which of the seven stations in Paris you need, and it will tell you how to get from one to the other.</p>
<ol>
<li>Enter where you are, for example <b>Copenhagen</b>.</li>
<li>Enter where you would like to wake up. If you are not sure, write <b>somewhere warm</b>.</li>
<li>Choose a day. An evening is often best, because the night does the long part for you.</li>
</ol>
<p>You get at most three plans: the quick one, the quiet one and the one with the view. We found that nobody reads the fourth.</p>
<aside><b>Good to know.</b> A plan is kept as soon as you look at it. Close the page, take a walk, come back: it is still there.</aside>`

const changing = `<h2>How we count a change</h2>
<p>A change is only offered when you can make it without running. We start from the distance between the platforms and add what you bring along.</p>
<table>
<thead><tr><th>You travel with</th><th>Same platform</th><th>Across the station</th><th>Across the town</th></tr></thead>
<tbody>
<tr><td>A small bag</td><td>4 min</td><td>9 min</td><td>45 min</td></tr>
<tr><td>A suitcase</td><td>5 min</td><td>13 min</td><td>55 min</td></tr>
<tr><td>A bicycle</td><td>7 min</td><td>16 min</td><td>35 min</td></tr>
<tr><td>Small children</td><td>9 min</td><td>24 min</td><td>80 min</td></tr>
</tbody>
</table>
<p>If you like it brisk, set your pace to <code>quick</code> and we take a third off. We will not go lower than that: stairs are stairs.</p>`

const late = `<h2>When a train is late</h2>
<p>Every two minutes we compare your plan with what the railways report. As long as each change still works we leave you in peace. When one breaks, you get a single message with the new plan in it, and the old one stays underneath, crossed out.</p>
<p>You never have to accept anything. If you would rather stay for another coffee, ignore the message and ask again when the cup is empty.</p>`

const asking = (base: string) => `<h2>Ask from your own program</h2>
<p>Everything the page can do is open to programs too. One request gives you the same three plans, in the same order.</p>
<pre><code><i>GET</i> /api/${base}/journeys?from=<b>copenhagen</b>&amp;to=<b>milan</b>&amp;leave=<b>friday-evening</b>

{
  <i>"trains"</i>: 3,
  <i>"nights"</i>: 1,
  <i>"legs"</i>: [
    { <i>"from"</i>: <b>"Copenhagen"</b>, <i>"leaves"</i>: <b>"17:26"</b>, <i>"side"</i>: <b>"left"</b> },
    { <i>"from"</i>: <b>"Hamburg"</b>, <i>"leaves"</i>: <b>"22:03"</b>, <i>"berth"</i>: <b>41</b> },
    { <i>"from"</i>: <b>"Zürich"</b>, <i>"leaves"</i>: <b>"08:20"</b>, <i>"side"</i>: <b>"right"</b> }
  ]
}</code></pre>
<p>A leg has a <code>side</code> when the view is better there, and a <code>berth</code> when you can lie down. Times are those of the station clock, wherever the station is.</p>`

const calendar = `<h2>Put it in your calendar</h2>
<p>Each journey has an address that any calendar can follow. When the plan changes, your calendar changes with it, and so does that of everybody you shared it with.</p>
<pre><code><i>GET</i> /journeys/<b>slow-heron-41</b>.ics</code></pre>
<aside><b>Next:</b> <a href="/docs">Saving and sharing</a>, or how six people from four towns end up in the same compartment.</aside>`

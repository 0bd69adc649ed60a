/** What the four pages are made of, before a layout has its say. */
export const pagesStyle = `
.note { color: var(--accent); font-size: 15px; font-weight: 700; margin-bottom: 16px; }
.hero .lede { margin-top: 20px; }
.hero .picture { position: relative; }
.hero .picture > .landscape { border-radius: var(--radius); }
.journey { position: absolute; padding: 20px 24px 22px; border-radius: var(--radius); background: var(--paper); font-size: 15px; line-height: 1.4; }
.journey p { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 2px 16px; white-space: nowrap; padding-bottom: 13px; margin-bottom: 15px; border-bottom: 1px solid var(--line); }
.journey small, .journey span { color: var(--soft); font-size: 13.5px; }
.journey li { position: relative; display: grid; grid-template-columns: 50px 1fr; column-gap: 30px; padding-bottom: 13px; }
.journey li:last-child { padding-bottom: 0; }
.journey time { color: var(--soft); font-variant-numeric: tabular-nums; }
.journey span { grid-column: 2; }
.journey li::before { content: ''; position: absolute; left: 58px; top: 5px; width: 10px; height: 10px; border: 2.5px solid var(--accent); border-radius: 50%; background: var(--paper); }
.journey li:not(:last-child)::after { content: ''; position: absolute; left: 62.5px; top: 16px; bottom: -5px; width: 2px; background: var(--accent); opacity: 0.45; }

.features, .routes, .voice, .questions { margin-top: 88px; }
.features ul, .routes ul { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; margin-top: 32px; }
.features p { margin-top: 8px; color: var(--soft); font-size: 16px; }
.icon { display: block; width: 28px; height: 28px; margin-bottom: 16px; }
.icon path { fill: none; stroke: var(--accent); stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round; }
.routes li { overflow: hidden; border-radius: var(--radius); background: var(--surface); }
.routes .landscape { height: 190px; }
.routes li div { padding: 20px 24px 22px; }
.routes li p { margin: 6px 0 12px; color: var(--soft); font-size: 16px; }
.routes small { color: var(--accent); font-weight: 700; }
.voice blockquote { max-width: 760px; margin: 0 auto; text-align: center; }
.voice p { font: 600 27px/1.4 var(--heading-font); letter-spacing: -0.01em; text-wrap: balance; }
.voice cite { display: block; margin-top: 16px; color: var(--soft); font-style: normal; }

.intro { padding: 44px 0 40px; text-align: center; }
.intro h1 { font-size: 44px; }
.intro .lede { margin-top: 14px; text-wrap: balance; }
.plans .wrap > ul { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; }
.plans .wrap > ul > li { display: flex; flex-direction: column; padding: 30px 30px 32px; border: 1px solid var(--line); border-radius: var(--radius); }
.plans h2 { font-size: 19px; }
.price { margin: 8px 0 6px; color: var(--soft); }
.price b { margin-right: 3px; color: var(--ink); font: 700 46px/1.15 var(--heading-font); letter-spacing: -0.03em; }
.price + p { min-height: 2lh; color: var(--soft); font-size: 16px; }
.plans ul ul { flex: 1; margin: 20px 0 26px; padding-top: 16px; border-top: 1px solid var(--line); font-size: 16px; }
.plans ul ul li { position: relative; padding: 5px 0 5px 30px; }
.plans ul ul li::before { content: ''; position: absolute; left: 4px; top: 11px; width: 13px; height: 7px; border: solid var(--accent); border-width: 0 0 2.5px 2.5px; transform: rotate(-45deg); }
.questions dl { display: grid; grid-template-columns: 1fr 1fr; gap: 32px 56px; margin-top: 32px; }
.questions dt { font-weight: 700; }
.questions dd { margin-top: 6px; color: var(--soft); font-size: 16px; }

.guide { display: grid; grid-template-columns: 220px minmax(0, 1fr); gap: 64px; padding-top: 40px; }
.chapters { font-size: 15.5px; }
.chapters > p { display: none; }
.chapters h2 { margin: 0 0 8px; font: 700 14px/1.4 var(--text-font); letter-spacing: 0; }
.chapters ul { margin-bottom: 28px; }
.chapters a { display: block; padding: 5px 0; color: var(--soft); text-decoration: none; }
.chapters a[aria-current] { color: var(--accent); font-weight: 700; }
.guide article { max-width: 760px; }
.guide article > * + * { margin-top: 18px; }
.guide h1 { font-size: 42px; }
.guide article h2 { margin-top: 46px; font-size: 27px; }
.trail { color: var(--soft); font-size: 15px; }
.guide article > .trail + h1 { margin-top: 8px; }
.guide ol { counter-reset: step; }
.guide ol li { position: relative; padding: 5px 0 5px 44px; counter-increment: step; }
.guide ol li::before { content: counter(step); position: absolute; left: 0; top: 5px; width: 27px; height: 27px; border-radius: 50%; background: var(--accent); color: var(--on-accent); font: 700 14px/27px var(--text-font); text-align: center; }
.guide aside { padding: 16px 22px; border-left: 3px solid var(--accent); border-radius: var(--radius); background: var(--surface); }
.guide table { width: 100%; border-collapse: collapse; font-size: 16px; }
.guide th, .guide td { padding: 10px 14px 10px 0; border-bottom: 1px solid var(--line); text-align: left; }
.guide th { color: var(--soft); font-size: 14.5px; }
code { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 0.88em; }
p code { padding: 2px 6px; border-radius: 4px; background: var(--surface); }
pre { padding: 22px 26px; border-radius: var(--radius); background: var(--code, var(--ink)); color: var(--code-ink, var(--paper)); font-size: 15.5px; line-height: 1.65; overflow: hidden; }
pre i { font-style: normal; color: var(--code-name, var(--second)); }
pre b { font-weight: 400; color: var(--code-value, #ffe2a6); }

.letters article { display: grid; grid-template-columns: 300px 1fr; gap: 36px; align-items: center; padding: 26px 0; }
.letters .picture { display: block; height: 190px; overflow: hidden; border-radius: var(--radius); }
.letters h2 { font-size: 25px; margin: 4px 0 10px; }
.letters h2 a { color: inherit; text-decoration: none; }
.letters p { color: var(--soft); font-size: 16px; }
.letters .number { color: var(--accent); font-size: 14px; font-weight: 700; }
.letters .more { display: none; }
.letters .by { display: flex; align-items: center; gap: 10px; margin-top: 14px; font-size: 14.5px; color: var(--ink); }
.letters .by i { width: 28px; height: 28px; border-radius: 50%; background: var(--accent); color: var(--on-accent); font: 700 13px/28px var(--text-font); text-align: center; }
.letters .by span { color: var(--soft); }

@media (max-width: 700px) {
  .features, .routes, .voice, .questions { margin-top: 60px; }
  .features ul, .routes ul, .plans .wrap > ul, .questions dl { grid-template-columns: minmax(0, 1fr); }
  .price + p { min-height: 0; }
  .voice p { font-size: 22px; }
  .intro { padding: 26px 0 30px; }
  .intro h1, .guide h1 { font-size: 34px; }
  .guide { display: block; padding-top: 12px; }
  .chapters { margin-bottom: 26px; padding: 12px 16px; border: 1px solid var(--line); border-radius: var(--radius); }
  .chapters > p { display: block; }
  .chapters div { display: none; }
  .guide th:last-child, .guide td:last-child { display: none; }
  pre { padding: 18px; font-size: 13.5px; }
  pre code { white-space: pre-wrap; }
  .letters article { grid-template-columns: minmax(0, 1fr); gap: 16px; padding: 18px 0; }
}
`

/** The modest first version: one column of text, like a letter. */
export const columnStyle = `
body { font-size: 18px; border-top: 6px solid var(--accent); }
h1, h2, h3, .logo { letter-spacing: 0; }
.wrap { max-width: 840px; }
.bar .wrap { height: 84px; border-bottom: 1px solid var(--line); max-width: 760px; padding: 0; }
.bar .button, .features .icon, .hero .journey { display: none; }
.bar nav { gap: 26px; }
.bar nav a { font-size: 17px; }
.bar nav a[aria-current] { font-weight: 400; text-decoration: underline; text-underline-offset: 6px; text-decoration-color: var(--accent); }
.button { padding: 11px 22px; font-size: 17px; font-weight: 400; }
.quiet { font-weight: 400; }

.hero { padding-top: 44px; }
.hero .wrap { display: flex; flex-direction: column; }
.note { font-weight: 400; font-style: italic; font-size: 18px; margin-bottom: 10px; }
h1 { font-size: 44px; }
.hero .lede { margin-top: 16px; }
.actions { margin-top: 24px; }
.hero .picture { height: 230px; margin-top: 36px; }
.features { margin-top: 56px; }
.features ul { display: block; margin-top: 12px; }
.features li { padding: 18px 0; border-bottom: 1px solid var(--line); display: grid; grid-template-columns: 230px 1fr; align-items: baseline; }
.features p { margin: 0; font-size: 18px; }
.voice { margin-top: 56px; }
.voice p { font-weight: 400; font-style: italic; }

.intro { text-align: left; padding: 44px 0 30px; }
.plans .wrap > ul { grid-template-columns: 1fr 1fr; }
.plans .wrap > ul > li { background: var(--surface); }
.plans h2 { font-size: 22px; }
.price b { font-weight: 400; }
.price + p, .plans ul ul { font-size: 17px; }
.plans li:not(.chosen) > .button { background: transparent; color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.questions { margin-top: 60px; }
.questions dl { display: block; margin-top: 12px; }
.questions dl div { padding: 16px 0; }
.questions dd { font-size: 17px; }

.guide { display: block; padding-top: 34px; font-size: 17px; }
.chapters { display: flex; justify-content: space-between; gap: 32px; margin-bottom: 40px; padding: 20px 26px 0; background: var(--surface); border-radius: var(--radius); font-size: 17px; }
.chapters h2 { font-size: 17px; }
.chapters ul { margin-bottom: 18px; }
.chapters a { padding: 2px 0; }
.chapters a[aria-current] { font-weight: 400; text-decoration: underline; text-underline-offset: 4px; }
.trail { display: none; }
.guide article h2 { margin-top: 36px; }
.guide ol li::before { background: none; color: var(--accent); font: italic 20px/27px var(--text-font); }
.guide aside { border-radius: 0; }
pre { --code: var(--surface); --code-ink: var(--ink); --code-name: var(--accent); --code-value: #5d6b2f; border: 1px solid var(--line); }

.letters article { grid-template-columns: minmax(0, 1fr); padding: 32px 0 34px; border-top: 1px solid var(--line); }
.letters article:not(:first-child) .picture { display: none; }
.letters .picture { height: 280px; }
.letters h2 { font-size: 28px; }
.letters p { font-size: 18px; color: var(--ink); }
.letters .number { font-weight: 400; font-style: italic; font-size: 17px; }
.letters .more { display: block; margin-top: 12px; }
.letters .by { font-size: 16px; font-style: italic; }
.letters .by i { display: none; }
footer { border: 0; margin-top: 48px; }
footer .wrap { max-width: 760px; padding: 26px 0 36px; border-top: 1px solid var(--line); }
footer .logo { display: none; }

@media (max-width: 700px) {
  body { font-size: 17px; }
  h1 { font-size: 33px; }
  .bar .wrap, footer .wrap { margin: 0 22px; }
  .bar .wrap { flex-direction: column; align-items: flex-start; height: auto; padding: 18px 0 14px; gap: 12px; }
  .bar nav { display: flex; margin: 0; gap: 20px; }
  .menu { display: none; }
  .hero { padding-top: 26px; }
  .hero .picture { height: 210px; margin-top: 28px; }
  .features li { display: block; }
  .letters .picture { height: 210px; }
  .chapters { display: block; padding: 12px 16px; border: 0; }
  .plans .wrap > ul { grid-template-columns: minmax(0, 1fr); }
}
`

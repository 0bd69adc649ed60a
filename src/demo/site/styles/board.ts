/** Today's: a dark board of tiles that glows a little. */
export const boardStyle = `
body { background: radial-gradient(820px 520px at 82% 40px, rgb(61 139 255 / 0.2), transparent 70%), radial-gradient(700px 480px at 8% 220px, rgb(31 214 160 / 0.13), transparent 70%), var(--paper); background-repeat: no-repeat; }
.wrap { max-width: 1160px; }
.bar .wrap { height: 84px; }
.bar .button { background: var(--ink); color: var(--paper); border-radius: 10px; }
.menu i { background: var(--ink); }
h1, h2 { letter-spacing: -0.03em; }
.button { border-radius: 12px; }
.quiet { color: var(--ink); text-decoration: none; }
.quiet::after { content: ' ›'; color: var(--accent); }

.hero { padding-top: 22px; }
.hero .wrap { display: grid; grid-template-columns: 1fr 1.04fr; gap: 60px; align-items: center; }
.note { display: inline-block; padding: 6px 14px; border: 1px solid var(--line); border-radius: 20px; background: var(--surface); font-size: 14px; }
.hero h1 { font-size: 60px; line-height: 1.06; background: linear-gradient(170deg, #fff 35%, #a9c2e8); background-clip: text; color: transparent; padding-bottom: 4px; }
.hero .picture { height: 520px; }
.hero .picture > .landscape { border-radius: 24px; border: 1px solid var(--line); }
.journey { left: -30px; right: 48px; bottom: -40px; border: 1px solid #343c50; border-radius: 18px; background: #141824; box-shadow: 0 30px 80px rgb(0 0 0 / 0.6); }
.journey li::before { background: #141824; }
.features { margin-top: 132px; }
.features ul { gap: 18px; }
.features li, .plans .wrap > ul > li, .routes li, .questions dl div { border: 1px solid var(--line); border-radius: 18px; background: linear-gradient(160deg, #1b202d, var(--surface)); }
.features li { padding: 28px; }
.icon { width: 46px; height: 46px; padding: 10px; border-radius: 12px; background: rgb(31 214 160 / 0.12); }
.voice p { font-size: 30px; }

.intro { padding: 46px 0 42px; }
.intro h1 { font-size: 50px; }
.plans .wrap > ul { gap: 18px; }
.plans .wrap > ul > .chosen { border-color: var(--accent); background: radial-gradient(360px 240px at 50% 0, rgb(31 214 160 / 0.22), transparent), var(--surface); box-shadow: 0 20px 80px rgb(31 214 160 / 0.16); }
.plans li:not(.chosen) > .button { background: #262d3d; color: var(--ink); }
.questions dl { gap: 18px; }
.questions dl div { padding: 26px 28px; }

.chapters a { padding: 6px 14px; margin-left: -14px; border-radius: 8px; }
.chapters a[aria-current] { background: rgb(31 214 160 / 0.12); }
.guide h1 { font-size: 48px; }
.guide ol li::before { background: rgb(31 214 160 / 0.16); color: var(--accent); }
.guide aside { border: 1px solid rgb(61 139 255 / 0.4); background: rgb(61 139 255 / 0.1); }
pre { --code: #090b11; --code-ink: #c6d0e4; --code-name: #6fb0ff; --code-value: var(--accent); border: 1px solid var(--line); }

.letters .wrap { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px; }
.letters article { display: flex; flex-direction: column; align-items: stretch; gap: 0; padding: 0; overflow: hidden; border: 1px solid var(--line); border-radius: 18px; background: var(--surface); }
.letters article:first-child { grid-column: 1 / -1; display: grid; grid-template-columns: 1.3fr 1fr; align-items: center; }
.letters .picture { height: 190px; border-radius: 0; }
.letters article:first-child .picture { height: 380px; }
.letters article > div { display: flex; flex-direction: column; flex: 1; padding: 24px 26px 26px; }
.letters article:first-child > div { padding: 20px 44px; }
.letters h2 { font-size: 21px; letter-spacing: -0.02em; }
.letters article:first-child h2 { font-size: 34px; }
.letters .by { margin-top: auto; padding-top: 18px; }
.letters .by i { background: #262d3d; color: var(--accent); }
footer { background: #0a0c12; }

@media (max-width: 700px) {
  .bar .wrap { height: 68px; }
  .hero { padding-top: 18px; }
  .hero .wrap { grid-template-columns: minmax(0, 1fr); gap: 34px; }
  .hero h1 { font-size: 42px; }
  .hero .picture { height: auto; }
  .hero .picture > .landscape { height: 270px; }
  .journey { position: relative; inset: auto; margin: -86px 14px 0; }
  .features { margin-top: 64px; }
  .intro { padding: 26px 0 30px; }
  .intro h1 { font-size: 38px; }
  .guide { padding-top: 14px; }
  .guide h1 { font-size: 38px; }
  .plans li.chosen { order: -1; }
  .letters .wrap, .letters article:first-child { grid-template-columns: minmax(0, 1fr); }
  .letters article:first-child .picture { height: 210px; }
  .letters article:first-child > div { padding: 24px 26px 26px; }
  .letters article:first-child h2 { font-size: 27px; }
}
`

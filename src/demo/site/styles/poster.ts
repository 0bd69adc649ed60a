/** The bold one: a gradient from edge to edge, large type, round corners. */
export const posterStyle = `
.bar { position: absolute; inset: 0 0 auto; z-index: 1; }
.bar .wrap { height: 88px; }
.bar .logo, .bar nav a, .bar nav a[aria-current] { color: #fff; }
.bar nav a { opacity: 0.85; font-weight: 600; }
.bar nav a[aria-current] { opacity: 1; text-decoration: underline; text-decoration-thickness: 3px; text-underline-offset: 8px; }
.bar .mark circle { fill: #fff; }
.bar .mark path { stroke: var(--accent); }
.bar .button { background: #fff; color: var(--accent); }
.menu i { background: #fff; }
.button { border-radius: 40px; padding: 14px 28px; }
h1, h2, .logo { font-weight: 800; letter-spacing: -0.035em; }

.hero, .intro { background: radial-gradient(900px 500px at 85% 0%, #ff4fb0 0%, transparent 70%), radial-gradient(700px 480px at 8% 100%, #ff9a5a 0%, transparent 65%), linear-gradient(120deg, #6a1ff0, #c410c0 70%, var(--second)); color: #fff; text-align: center; }
.hero { padding-top: 120px; }
.hero .wrap { max-width: none; padding: 0; }
.words { max-width: 980px; margin: 0 auto; padding: 0 40px; }
.hero .note { display: inline-block; margin-bottom: 18px; padding: 6px 16px; border-radius: 20px; background: rgb(255 255 255 / 0.18); color: #fff; }
.hero h1 { font-size: 80px; line-height: 1; }
.hero .lede, .intro .lede { color: rgb(255 255 255 / 0.92); }
.hero .lede { max-width: 600px; margin: 22px auto 0; font-size: 21px; }
.hero .actions, .hero .journey { display: none; }
.search { position: relative; z-index: 1; display: flex; align-items: center; margin-top: 38px; padding: 12px; border-radius: 44px; background: #fff; color: var(--ink); text-align: left; box-shadow: 0 24px 60px rgb(50 0 90 / 0.35); }
.search span { flex: 1; padding: 2px 24px; font-weight: 700; line-height: 1.35; white-space: nowrap; }
.search span + span { border-left: 1px solid var(--line); }
.search small { display: block; color: var(--soft); font-size: 13px; font-weight: 400; }
.search .button { background: var(--ink); }
.hero .picture { height: 360px; margin-top: -116px; }
.hero .picture > .landscape { border-radius: 0; background: none; }
.hero .landscape circle, .hero .cloud { display: none; }

.features h2, .routes h2 { font-size: 42px; text-align: center; }
.features li { padding: 32px; border-radius: 28px; color: #fff; }
.features li:nth-child(1) { background: linear-gradient(150deg, #7b2ff7, #5a16d8); }
.features li:nth-child(2) { background: linear-gradient(150deg, #f107a3, #c8067f); }
.features li:nth-child(3) { background: linear-gradient(150deg, #ff8a3d, #f25a2a); }
.features h3 { font-size: 23px; font-weight: 800; }
.features p { color: #fff; }
.icon { width: 40px; height: 40px; }
.icon path { stroke: #fff; }
.routes li { border-radius: 28px; }
.voice p { font-weight: 800; font-size: 32px; background: linear-gradient(90deg, var(--accent), var(--second)); background-clip: text; color: transparent; }

.intro { padding: 122px 0 146px; }
.intro h1 { font-size: 62px; }
.intro .lede { font-size: 21px; }
.plans .wrap > ul, .letters .wrap { margin-top: -104px; }
.plans .wrap > ul { align-items: start; }
.plans .wrap > ul > li { border: 0; border-radius: 28px; background: #fff; box-shadow: 0 20px 60px rgb(60 10 110 / 0.16); }
.plans .wrap > ul > .chosen { margin-top: -22px; padding: 40px 30px 44px; background: var(--ink); color: #fff; }
.chosen .price, .chosen .price + p { color: #cdbfe0; }
.chosen .price b { color: #ffd84d; }
.plans .chosen ul { border-color: rgb(255 255 255 / 0.18); }
.plans li.chosen > .button { background: linear-gradient(90deg, var(--accent), var(--second)); }
.plans li:not(.chosen) > .button { background: var(--surface); color: var(--accent); }
.plans .chosen li::before { border-color: #ff6fb5; }
.questions h2 { font-size: 36px; text-align: center; }
.questions dl { gap: 20px; }
.questions dl div { padding: 26px 30px; border-radius: 24px; background: var(--surface); }

.guide::before { content: ''; position: absolute; inset: 0 0 auto; height: 88px; background: linear-gradient(100deg, #6a1ff0, #c410c0 70%, var(--second)); }
.guide { padding-top: 130px; gap: 48px; grid-template-columns: 244px minmax(0, 1fr); }
.chapters { align-self: start; padding: 26px 24px 4px; border-radius: 24px; background: var(--surface); }
.chapters a[aria-current] { margin: 2px -12px; padding: 6px 12px; border-radius: 20px; background: var(--accent); color: #fff; }
.guide h1 { font-size: 54px; }
.guide ol li::before { background: var(--second); }
.guide aside { padding: 20px 26px; border: 0; border-radius: 20px; background: #fff1d6; }
.guide th { color: var(--accent); }
pre { --code-name: #ff8ad0; --code-value: #ffe08a; --code-ink: #f3e9ff; }

.letters .wrap { display: grid; grid-template-columns: 1fr 1fr; gap: 28px; }
.letters article { display: block; padding: 0; overflow: hidden; border-radius: 28px; background: #fff; box-shadow: 0 16px 50px rgb(60 10 110 / 0.13); }
.letters article:first-child { grid-column: 1 / -1; display: grid; grid-template-columns: 1.15fr 1fr; gap: 0; }
.letters .picture { height: 230px; border-radius: 0; }
.letters article:first-child .picture { height: 100%; min-height: 360px; }
.letters article > div { padding: 28px 32px 32px; }
.letters article:first-child h2 { font-size: 38px; }
.letters .number { color: var(--second); }
.letters article:first-child .more { display: block; margin-top: 8px; }
footer { border: 0; background: var(--ink); color: #cdbfe0; }
footer .logo { color: #fff; }
footer nav a { color: #fff; }

@media (max-width: 700px) {
  .bar .wrap { height: 72px; }
  .hero { padding-top: 106px; }
  .words { padding: 0 22px; }
  .hero h1 { font-size: 47px; }
  .hero .lede { font-size: 18px; }
  .search { display: grid; grid-template-columns: 1fr 1fr; gap: 14px 0; margin-top: 28px; padding: 20px 16px 16px; border-radius: 28px; }
  .search span { padding: 0 10px; }
  .search span + span { padding-left: 16px; }
  .search span:nth-of-type(3) { display: none; }
  .search .button { grid-column: 1 / -1; }
  .hero .picture { height: 420px; margin-top: -110px; }
  .features h2, .routes h2, .questions h2 { font-size: 30px; }
  .intro { padding: 104px 0 134px; }
  .intro h1 { font-size: 42px; }
  .intro .lede { font-size: 18px; }
  .plans .wrap > ul > .chosen { margin-top: 0; order: -1; }
  .guide { padding-top: 96px; }
  .guide::before { height: 72px; }
  .guide h1 { font-size: 40px; }
  .chapters { padding: 12px 20px; border: 0; }
  .letters .wrap, .letters article:first-child { grid-template-columns: minmax(0, 1fr); }
  .letters article:first-child .picture { min-height: 0; height: 210px; }
  .letters article:first-child h2 { font-size: 30px; }
  .letters article > div { padding: 22px 24px 26px; }
}
`

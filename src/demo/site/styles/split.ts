/** The clean redesign: white, two halves, thin lines. */
export const splitStyle = `
.bar { border-bottom: 1px solid var(--line); }
.bar .wrap { height: 76px; }
.hero { padding: 44px 0 0; }
.hero .wrap { display: grid; grid-template-columns: 1fr 1.08fr; gap: 56px; align-items: center; }
.hero .picture { height: 460px; }
.hero .picture > .landscape { border-radius: 16px; }
.journey { left: -36px; bottom: -64px; width: 352px; box-shadow: 0 18px 50px rgb(27 42 65 / 0.16), 0 2px 6px rgb(27 42 65 / 0.08); }
.note { display: inline-block; padding: 5px 12px; border-radius: 20px; background: #e9f0ff; font-size: 14px; }
h1 { letter-spacing: -0.03em; }
.features { margin-top: 136px; }
.features li { padding: 28px; border: 1px solid var(--line); border-radius: var(--radius); }
.icon { width: 48px; height: 48px; padding: 11px; border-radius: 10px; background: #e9f0ff; }
.routes { padding: 72px 0; background: var(--surface); }
.routes li { background: var(--paper); border: 1px solid var(--line); }
.voice { margin-top: 80px; }

.intro { padding: 52px 0 40px; }
.plans .wrap > ul > li { padding: 28px 28px 30px; }
.plans li.chosen { border: 2px solid var(--accent); box-shadow: 0 16px 44px rgb(35 96 238 / 0.14); }
.plans li:not(.chosen) > .button { background: #e9f0ff; color: var(--accent); }
.questions { padding: 64px 0 68px; background: var(--surface); }
main:has(.questions) + footer { margin-top: 0; }

.chapters { border-right: 1px solid var(--line); padding-top: 6px; }
.chapters a[aria-current] { margin-right: -1px; border-right: 2px solid var(--accent); }
pre { --code: #16233a; --code-ink: #dce6f5; --code-name: #7fc4ff; --code-value: #ffd88a; }

.letters .wrap { max-width: 1000px; }
.letters article + article { border-top: 1px solid var(--line); }
.letters .more { display: block; margin-top: 6px; }

@media (max-width: 700px) {
  .bar .wrap { height: 64px; }
  .hero { padding-top: 34px; }
  .hero .wrap { grid-template-columns: minmax(0, 1fr); gap: 36px; }
  .hero .picture { height: auto; }
  .hero .picture > .landscape { height: 250px; }
  .journey { position: relative; inset: auto; width: auto; margin: -64px 16px 0; }
  .features { margin-top: 64px; }
  .intro { padding: 34px 0 30px; }
  .chapters { padding: 12px 16px; }
  .guide { padding-top: 22px; }
}
`

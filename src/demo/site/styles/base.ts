/** Type, buttons, header and footer. No `vh`, nothing sticky, nothing that moves: a full page is one still picture. */
export const baseStyle = `
* { box-sizing: border-box; margin: 0; padding: 0; }
html { -webkit-text-size-adjust: 100%; }
body { background: var(--paper); color: var(--ink); font: 17px/1.6 var(--text-font); -webkit-font-smoothing: antialiased; overflow-x: hidden; }
h1, h2, h3 { font-family: var(--heading-font); line-height: 1.15; text-wrap: balance; letter-spacing: -0.02em; }
h1 { font-size: 52px; }
h2 { font-size: 30px; }
h3 { font-size: 19px; letter-spacing: -0.01em; }
p { text-wrap: pretty; }
a { color: var(--accent); }
ul, ol { list-style: none; }
small { font-size: 14px; }
.wrap { max-width: 1120px; margin: 0 auto; padding: 0 40px; }
.lede { font-size: 20px; line-height: 1.55; color: var(--soft); }
.landscape { display: block; width: 100%; height: 100%; background: linear-gradient(var(--sky), var(--glow) 75%); }

.button { display: inline-block; padding: 13px 24px; border-radius: var(--radius); background: var(--accent); color: var(--on-accent); font-weight: 700; font-size: 16px; line-height: 1.4; text-decoration: none; text-align: center; white-space: nowrap; }
.button.small { padding: 9px 18px; font-size: 15px; }
.quiet { font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 14px 26px; margin-top: 32px; }

.bar .wrap { display: flex; align-items: center; gap: 34px; height: 80px; }
.logo { display: flex; align-items: center; gap: 11px; color: var(--ink); font: 700 21px/1 var(--heading-font); letter-spacing: -0.02em; text-decoration: none; }
.mark { width: 32px; height: 32px; }
.mark circle { fill: var(--accent); }
.mark path { fill: none; stroke: var(--on-accent); stroke-width: 1.7; stroke-linecap: round; }
.bar nav { display: flex; gap: 32px; margin-left: auto; }
.bar nav a, footer nav a { color: var(--soft); font-size: 15.5px; text-decoration: none; }
.bar nav a[aria-current] { color: var(--ink); font-weight: 600; }
.menu { display: none; }

footer { margin-top: 96px; border-top: 1px solid var(--line); color: var(--soft); font-size: 15px; }
footer .wrap { display: flex; flex-wrap: wrap; align-items: center; gap: 14px 28px; padding-top: 34px; padding-bottom: 38px; }
footer .logo { font-size: 18px; }
footer .mark { width: 26px; height: 26px; }
footer nav { display: flex; gap: 26px; margin-left: auto; }

@media (max-width: 700px) {
  body { font-size: 16px; }
  h1 { font-size: 37px; }
  h2 { font-size: 25px; }
  .wrap { padding: 0 22px; }
  .lede { font-size: 18px; }
  .bar .wrap { height: 66px; gap: 16px; }
  .bar nav { display: none; }
  .bar .button { margin-left: auto; }
  .menu { display: grid; gap: 5px; }
  .menu i { width: 24px; height: 2.5px; border-radius: 2px; background: var(--ink); }
  .actions { margin-top: 26px; }
  footer { margin-top: 64px; }
  footer nav { margin-left: 0; width: 100%; }
}
`

/** The look of the gallery (gallery/src/style): paper, ink, and the red of the pencil. */
export const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#faf9f7, #131315); --card: light-dark(#fff, #1c1c20); --sunk: light-dark(#f0eeea, #0d0d0f); --ink: light-dark(#1b1b1e, #f1efec); --soft: light-dark(#625f68, #a9a6b0); --line: light-dark(#e4e0da, #2d2d33); --mark: light-dark(#bf3015, #ff8265) }
* { box-sizing: border-box } html { scroll-padding-top: 5rem }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 1rem/1.5 "Instrument Sans Variable", system-ui, sans-serif; -webkit-font-smoothing: antialiased }
header { position: sticky; top: 0; display: flex; align-items: center; gap: .4rem 1.5rem; padding: .7rem max(1rem, (100% - 58rem) / 2); background: var(--paper); border-bottom: 1px solid var(--line) }
header a { color: inherit; text-decoration: none } header nav { display: flex; gap: 1.25rem; overflow-x: auto; color: var(--soft) } header nav a:hover { color: var(--ink) }
.back { display: flex; align-items: center; gap: .55rem; font-weight: 650; letter-spacing: -.02em } svg { width: 1.75rem; height: 1.75rem; fill: var(--ink) } ellipse { fill: none; stroke: var(--mark); stroke-width: 2.4 }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 5rem }
h1 { margin: 0; font-size: clamp(1.6rem, 1.2rem + 1.4vw, 2.25rem); font-weight: 600; line-height: 1.15; letter-spacing: -.02em } h2 { margin: 3rem 0 0; font-size: 1.35rem; font-weight: 600 } h3 { margin: 0 0 .25rem; font-size: 1.05rem; font-weight: 600; overflow-wrap: anywhere }
section { margin: 1.25rem 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto }
h3 b { color: var(--mark); margin-right: .6rem } code, pre { font: .9em ui-monospace, monospace; background: var(--sunk); border-radius: 4px } code { padding: .1em .35em; overflow-wrap: anywhere } pre { margin: .5rem 0 0; padding: .8rem 1rem; overflow-x: auto } h3 code { background: none; padding: 0 }
table { border-collapse: collapse; width: 100%; margin: .75rem 0 } th { text-align: left; color: var(--soft); font-weight: 500; font-size: .85rem } td, th { border-bottom: 1px solid var(--line); padding: .4rem .9rem .4rem 0; vertical-align: top } td { overflow-wrap: break-word } td .soft { white-space: nowrap } tr:last-child td { border-bottom: 0 } td code { white-space: nowrap }
p { margin: .4rem 0 } a { color: var(--mark); text-underline-offset: .2em } .soft { color: var(--soft) } summary { cursor: pointer; color: var(--soft); font-size: .9rem } a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
@media (max-width: 40rem) { section { padding: .8rem } tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0 } td { display: block; border: 0; padding: .1rem 0 } td code { white-space: normal } tr:has(th) { display: none } }`

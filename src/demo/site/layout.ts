import type { Layout, Look } from './looks.ts'

const links = [
  ['/', 'Journeys'],
  ['/pricing', 'Pricing'],
  ['/docs', 'Guide'],
  ['/blog', 'Letters'],
] as const

/** What the visitor is asked to do, in the words of the time. */
export const callToAction: Record<Layout, string> = {
  column: 'Try the beta',
  split: 'Plan a journey',
  poster: 'Let’s go!',
  board: 'Start planning',
}

const slogans: Record<Layout, string> = {
  column: 'Made by Ida and Jonas, mostly on trains.',
  split: 'Slow travel, well planned. Made in Görlitz, mostly on trains.',
  poster: 'Six people, one dog, and a great many rail passes.',
  board: 'Made in Görlitz, a small town with a very good railway station.',
}

/** A track that runs to the horizon: the one thing that never changed. */
const mark =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="16"/><path d="M10 26L14.6 7M22 26L17.4 7M9 22.5H23M10.6 17.5H21.4M12 13H20M13.2 9.5H18.8"/></svg>'

export function renderDocument(look: Look, path: string, title: string, main: string): string {
  const navigation = links
    .map(([href, text]) => `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${text}</a>`)
    .join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css?look=${look.name}">
</head>
<body>
<header class="bar"><div class="wrap">
<a class="logo" href="/">${mark}Fernweh</a>
<nav>${navigation}</nav>
<a class="button small" href="/pricing">${callToAction[look.layout]}</a>
<span class="menu" aria-hidden="true"><i></i><i></i><i></i></span>
</div></header>
<main>
${main}
</main>
<footer><div class="wrap">
<p class="logo">${mark}Fernweh</p>
<p class="slogan">${slogans[look.layout]}</p>
<nav>${navigation}</nav>
</div></footer>
</body>
</html>
`
}

import type { Login } from '../../contract/options/steps.ts'

/** Shorter texts are no secrets, and would be found in any text. */
const SHORTEST = 3
const CONCEALED = '…'

/** Takes user name and password out of what the page says about itself: a form may put them into the address. */
export function concealLogin<T extends { url: string; title: string }>(seen: T, login: Login | undefined): T {
  if (!login) return seen
  const origin = URL.parse(seen.url)?.origin ?? ''
  const rest = seen.url.startsWith(origin) ? seen.url.slice(origin.length) : seen.url
  return {
    ...seen,
    url: seen.url.slice(0, seen.url.length - rest.length) + concealIn(rest, login),
    title: concealIn(seen.title, login),
  }
}

function concealIn(text: string, { username, password }: Login): string {
  const secrets = [password.password, username.username].filter(({ length }) => length >= SHORTEST)
  const spellings = secrets.flatMap((secret) => [
    secret,
    encodeURI(secret.toWellFormed()),
    encodeURIComponent(secret.toWellFormed()),
    `${new URLSearchParams({ '': secret })}`.slice(1),
  ])
  return spellings.reduce((concealed, spelling) => concealed.replaceAll(spelling, CONCEALED), text)
}

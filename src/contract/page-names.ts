const LONGEST = 200

/** An address without `https://` and without a slash at its end. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** The name of a page that was requested without one. */
export function defaultName(url: string): string {
  return (shortAddress(url) || url).slice(0, LONGEST)
}

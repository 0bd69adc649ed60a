/** A quote that is never closed goes to the end: looking for its end again and again would take a while. */
const TOKEN = /<([^<>]*)>|"((?:[^"\\]|\\.)*)(?:"|\\?$)|[^\s<>";,=]+|[;,=]/g

export interface Link {
  readonly target: string
  /** By name, in lower case. Of those stated twice, the first. */
  readonly parameters: ReadonlyMap<string, string>
}

/** The links of a header (RFC 8288). */
export function parseLinks(header: string): Link[] {
  const links: Link[] = []
  let parameters: Map<string, string> | undefined
  let name: string | undefined
  for (const [token, target, quoted] of header.matchAll(TOKEN)) {
    if (target !== undefined) {
      parameters = new Map()
      links.push({ target, parameters })
    } else if (token === ',') {
      parameters = undefined
    } else if (token === ';') {
      name = undefined
    } else if (token !== '=') {
      const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? token
      if (name === undefined) name = value.toLowerCase()
      else if (!parameters?.has(name)) parameters?.set(name, value)
    }
  }
  return links
}

/**
 * The query of the page after the one that came with this header; undefined where it was the last. Only the query:
 * the page is asked for where the first one was, whatever name the server has for itself.
 */
export function nextQuery(header: string | null): string | undefined {
  const next = parseLinks(header ?? '').find(
    ({ parameters }) => !parameters.has('anchor') && isNext(parameters.get('rel') ?? ''),
  )
  return next && (/\?[^#]*/.exec(next.target)?.[0] ?? '')
}

function isNext(relations: string): boolean {
  return relations.toLowerCase().split(/\s+/).includes('next')
}

/** A quote without an end extends to the end of the text. Otherwise parsing could take very long. */
const TOKEN = /<([^<>]*)>|"((?:[^"\\]|\\.)*)(?:"|\\?$)|[^\s<>";,=]+|[;,=]/g

export interface Link {
  readonly target: string
  /** By name, in lower case. If a name is there twice, the first counts. */
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
 * The query of the next list page, from the header of this one. Undefined if this was the last. Only the query is used:
 * the next list page is fetched from the same server as the first.
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

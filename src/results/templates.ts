import type { KnownProject } from '../access/door.ts'
import type { LastRoot } from '../contract/owned.ts'
import type { Images } from '../images/images.ts'
import { type ListPage, readListPage } from '../store/cursor.ts'
import type { Store } from '../store/store.ts'
import type { StoredTemplate, TemplateHead } from '../store/templates.ts'
import type { Answer, Asked, AskedForMuch } from './answer.ts'
import { findLastRoots } from './last-roots.ts'
import type { Piece } from './pieces.ts'
import { slicesOf } from './search.ts'

/** Bytes of requests that are read at once. A request may have a million. */
const AT_ONCE = 500_000

export type TemplateResults = ReturnType<typeof createTemplateResults>

/** Templates as they are shown: without their secrets, with their last root. */
export function createTemplateResults(store: Store, images: Images) {
  async function* body(
    projectId: string,
    heads: readonly TemplateHead[],
    asked: Asked,
  ): AsyncGenerator<Piece> {
    const addresses = await images.addresses(asked)
    let before = '['
    for (const slice of slicesOf(heads, AT_ONCE, ({ bytes }) => bytes)) {
      const ids = slice.map(({ templateId }) => templateId)
      const found = await store.templates.findAll(projectId, ids)
      // One that was removed meanwhile is left out.
      const some = ids.flatMap((id) => found.find(({ templateId }) => templateId === id) ?? [])
      if (some.length === 0) continue
      const last = await findLastRoots(store, some, addresses)
      const parts: string[] = []
      for (const each of some) {
        parts.push(before, ...renderTemplate(each, last))
        before = ','
      }
      yield { parts, last: false }
    }
    yield { parts: [before === '[' ? '[]' : ']'], last: true }
  }

  return {
    /** One template, as JSON. */
    async render(template: StoredTemplate, asked: Asked): Promise<Buffer> {
      const addresses = await images.addresses(asked)
      const last = await findLastRoots(store, [template], addresses)
      return Buffer.concat(renderTemplate(template, last).map((part) => Buffer.from(part)))
    },

    /** One list page of the templates of a project, newest first. Throws `bad_request` for a bad cursor. */
    async list({ projectId }: KnownProject, page: ListPage, asked: AskedForMuch): Promise<Answer> {
      const { items, nextCursor } = await readListPage(
        page,
        (next) => asked.inTurn(() => store.templates.page(projectId, next)),
        ({ templateId }) => templateId,
      )
      return { nextCursor, isPaced: true, body: () => body(projectId, items, asked) }
    },
  }
}

/** In parts: the request is JSON already, and may have a megabyte. V8 would copy it into a longer text. */
function renderTemplate(
  { templateId, name, request, created, changed, lastRoot }: StoredTemplate,
  roots: ReadonlyMap<string, LastRoot>,
): string[] {
  const last = lastRoot === undefined ? undefined : roots.get(lastRoot)
  const start = JSON.stringify({ templateId, name })
  const end = JSON.stringify({ created, changed, last })
  return [`${start.slice(0, -1)},`, request.slice(1, -1), `,${end.slice(1)}`]
}

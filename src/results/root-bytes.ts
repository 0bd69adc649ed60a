import type { Addresses } from '../images/images.ts'
import type { JobText, RootTexts } from '../store/job-text.ts'
import type { RootHead } from '../store/store.ts'
import type { KeptBytes } from '../work/kept.ts'
import { CLOSE_ROOT, openRoot, renderJobs, resultEtag } from './render.ts'

/** Rendered roots, or parts of large roots, by what their ETag has: so an entry never becomes wrong, only unused. */
export type KeptRoots = KeptBytes<Buffer>

/** The bytes of roots for one answer: kept from before, or rendered now and perhaps kept. */
export class RootBytes {
  readonly projectId: string
  readonly #addresses: Addresses
  readonly #tag: string
  readonly #kept: KeptRoots
  #room: number

  /** `room`: bytes that one answer may add, so that a large answer does not push out all others. */
  constructor(projectId: string, addresses: Addresses, tag: string, kept: KeptRoots, room: number) {
    this.projectId = projectId
    this.#addresses = addresses
    this.#tag = tag
    this.#kept = kept
    this.#room = room
  }

  etag(revision: string): string {
    return resultEtag(revision, this.#tag)
  }

  renderJobs({ rootId }: RootHead, jobs: readonly JobText[]): string {
    return renderJobs({ projectId: this.projectId, rootId }, jobs, this.#addresses)
  }

  /** The bytes of a root, or of a part of it. */
  kept(root: RootHead, part = ''): Buffer | undefined {
    return this.#kept.get(this.#nameOf(root, part))
  }

  /** Returns bytes, if there is room for them. */
  keep(root: RootHead, text: string, part = ''): Buffer | string {
    if (this.#room < text.length) return text
    const bytes = Buffer.from(text)
    this.#room -= bytes.length
    this.#kept.keep(this.#nameOf(root, part), bytes)
    return bytes
  }

  render({ head, jobs }: RootTexts): Buffer | string {
    return this.keep(head, openRoot(head) + this.renderJobs(head, jobs) + CLOSE_ROOT)
  }

  /** A revision is never used twice. The ids are part of the name, too: rows written by hand may share a revision. */
  #nameOf({ rootId, revision }: RootHead, part: string): string {
    return `${this.projectId}${rootId}${revision}.${this.#tag}${part}`
  }
}

import type { Addresses } from '../images/images.ts'
import type { JobText } from '../store/job-text.ts'
import type { RootHead } from '../store/store.ts'
import { etagOf } from './etag.ts'
import type { KeptRoots } from './kept-roots.ts'
import { CLOSE_ROOT, openRoot, renderJobs } from './render.ts'

/** Some jobs of a large root, with commas between them. */
export interface RootPart {
  readonly bytes: Buffer | string
  /** The position where the next part begins, if any. */
  readonly next?: number | undefined
}

/** The roots of a project as the bytes of one answer: those that were kept, or rendered and then perhaps kept. */
export class RootBytes {
  readonly projectId: string
  readonly #addresses: Addresses
  readonly #tag: string
  readonly #kept: KeptRoots
  #room: number

  /** `room`: what one answer may add to what is kept, so that a large one does not push out everything else. */
  constructor(projectId: string, addresses: Addresses, tag: string, kept: KeptRoots, room: number) {
    this.projectId = projectId
    this.#addresses = addresses
    this.#tag = tag
    this.#kept = kept
    this.#room = room
  }

  etag(revision: string): string {
    return etagOf(revision, this.#tag)
  }

  renderJobs({ rootId }: RootHead, jobs: readonly JobText[]): string {
    return renderJobs({ projectId: this.projectId, rootId }, jobs, this.#addresses)
  }

  kept(head: RootHead): Buffer | undefined {
    return this.#kept.get(this.etag(head.revision), this.projectId, head.rootId)?.bytes
  }

  render(head: RootHead, jobs: readonly JobText[]): Buffer | string {
    const text = openRoot(head) + this.renderJobs(head, jobs) + CLOSE_ROOT
    return this.#keep(this.etag(head.revision), head, text)
  }

  /** The jobs of a large root from a position on. Whoever asks for the same at the same time shares the work. */
  keptPart(head: RootHead, from: number): RootPart | undefined {
    return this.#kept.get(this.#partTag(head, from), this.projectId, head.rootId)
  }

  renderPart(head: RootHead, from: number, jobs: readonly JobText[], next: number | undefined): RootPart {
    const bytes = this.#keep(this.#partTag(head, from), head, this.renderJobs(head, jobs), next)
    return { bytes, next }
  }

  #partTag(head: RootHead, from: number): string {
    return `${this.etag(head.revision)} ${from}`
  }

  #keep(tag: string, { rootId }: RootHead, text: string, next?: number): Buffer | string {
    if (this.#room < text.length) return text
    const bytes = Buffer.from(text)
    this.#room -= bytes.length
    this.#kept.keep(tag, { projectId: this.projectId, rootId, bytes, next })
    return bytes
  }
}

import type { Addresses } from '../images/images.ts'
import type { JobText, RootPositions, RootTexts } from '../store/job-text.ts'
import type { RootHead } from '../store/store.ts'
import { resultEtag } from './etag.ts'
import type { KeptRoots } from './kept-roots.ts'
import { CLOSE_ROOT, openRoot, renderJobs } from './render.ts'

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

  kept(head: RootHead, etag = this.etag(head.revision)): Buffer | undefined {
    return this.#find(etag, head)
  }

  render({ head, jobs }: RootTexts): Buffer | string {
    const text = openRoot(head) + this.renderJobs(head, jobs) + CLOSE_ROOT
    return this.#keep(this.etag(head.revision), head, text)
  }

  /** The positions of a large root. Clients that read it at the same time share them. */
  keptPositions(head: RootHead): RootPositions | undefined {
    const bytes = this.#find(this.#partTag(head, 'positions'), head)
    return bytes && { head, ...JSON.parse(bytes.toString()) }
  }

  keepPositions({ head, ...positions }: RootPositions): void {
    this.#keep(this.#partTag(head, 'positions'), head, JSON.stringify(positions))
  }

  /** The jobs of a large root from a position on. */
  keptPart(head: RootHead, from: number): Buffer | undefined {
    return this.#find(this.#partTag(head, from), head)
  }

  renderPart(head: RootHead, from: number, jobs: readonly JobText[]): Buffer | string {
    return this.#keep(this.#partTag(head, from), head, this.renderJobs(head, jobs))
  }

  #partTag(head: RootHead, part: number | 'positions'): string {
    return `${this.etag(head.revision)} ${part}`
  }

  #find(tag: string, { rootId }: RootHead): Buffer | undefined {
    return this.#kept.get(tag, this.projectId, rootId)?.bytes
  }

  #keep(tag: string, { rootId }: RootHead, text: string): Buffer | string {
    if (this.#room < text.length) return text
    const bytes = Buffer.from(text)
    this.#room -= bytes.length
    this.#kept.keep(tag, { projectId: this.projectId, rootId, bytes })
    return bytes
  }
}

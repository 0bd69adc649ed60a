import { hash } from 'node:crypto'
import type { Addresses } from '../images/images.ts'
import { RENDERING } from './render.ts'

/** Weak, because a proxy may compress. It changes with the data, and with the addresses: so with every signing window. */
export function resultEtag(revision: string, tag: string): string {
  return `W/"${revision}.${tag}"`
}

const tags = new WeakMap<Addresses, string>()

/** Covers everything that changes the bytes of an answer, except the data. */
export function tagOf(addresses: Addresses): string {
  let tag = tags.get(addresses)
  if (tag === undefined) {
    tag = hash('sha256', `${RENDERING}\n${addresses.tag}`, 'base64url').slice(0, 16)
    tags.set(addresses, tag)
  }
  return tag
}

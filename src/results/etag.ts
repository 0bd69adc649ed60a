import { hash } from 'node:crypto'
import type { Addresses } from '../images/images.ts'
import { RENDERING } from './render.ts'

/** Weak, since a proxy may compress. Changes with the data and with the addresses, and so with every window. */
export function etagOf(revision: string, tag: string): string {
  return `W/"${revision}.${tag}"`
}

const tags = new WeakMap<Addresses, string>()

/** Stands for everything but the data that the bytes of an answer depend on. */
export function tagOf(addresses: Addresses): string {
  let tag = tags.get(addresses)
  if (tag === undefined) {
    tag = hash('sha256', `${RENDERING}\n${addresses.tag}`, 'base64url').slice(0, 16)
    tags.set(addresses, tag)
  }
  return tag
}

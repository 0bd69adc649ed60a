import { randomBytes } from 'node:crypto'

/** Random, not counted: a restored backup or a project made anew never repeats one. */
export function newRevision(): string {
  return randomBytes(12).toString('base64url')
}

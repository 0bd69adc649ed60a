import { filesOf, type ImageKey } from '../../../src/images/images.ts'

/** The key of the picture of a job with its own picture. */
export function pictureKey(projectId: string, uuid: string): ImageKey {
  return filesOf(projectId, { picture: uuid }).picture
}

export function previewKey(projectId: string, uuid: string): ImageKey {
  return filesOf(projectId, { picture: uuid }).preview
}

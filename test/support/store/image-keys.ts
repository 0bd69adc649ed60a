import { filesOf, type ImageKey } from '../../../src/images/images.ts'

/** The picture of a job that has one of its own. */
export function pictureKey(projectId: string, uuid: string): ImageKey {
  return filesOf(projectId, { picture: uuid }).picture
}

export function previewKey(projectId: string, uuid: string): ImageKey {
  return filesOf(projectId, { picture: uuid }).preview
}

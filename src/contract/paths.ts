/** The frozen addresses of the service. */
export const paths = {
  listRoots: '/api/projects/:projectId/screenshots/root',
  getRoot: '/api/projects/:projectId/screenshots/root/:jobId',
  /** Followed by the key of an image and its signature. */
  images: '/images/',
} as const

export function rootsPath(projectId: string): string {
  return `/api/projects/${projectId}/screenshots/root`
}

export function rootPath(projectId: string, rootId: string): string {
  return `${rootsPath(projectId)}/${rootId}`
}

/** The frozen addresses of the service. */
export const paths = {
  requestScreenshots: '/api/projects/:projectId',
  listRoots: '/api/projects/:projectId/screenshots/root',
  getRoot: '/api/projects/:projectId/screenshots/root/:jobId',
  getStatus: '/api/projects/:projectId/screenshots/root/:jobId/status',
  watchStatus: '/api/projects/:projectId/screenshots/root/:jobId/events',
  /** Followed by the key of an image and its signature. */
  images: '/images/',
} as const

export function projectPath(projectId: string): string {
  return `/api/projects/${projectId}`
}

export function rootsPath(projectId: string): string {
  return `/api/projects/${projectId}/screenshots/root`
}

export function rootPath(projectId: string, rootId: string): string {
  return `${rootsPath(projectId)}/${rootId}`
}

export function statusPath(projectId: string, rootId: string): string {
  return `${rootPath(projectId, rootId)}/status`
}

/** The frozen addresses of the service. */
export const paths = {
  listProjects: '/api/projects',
  getProject: '/api/projects/:projectId',
  requestScreenshots: '/api/projects/:projectId',
  listRoots: '/api/projects/:projectId/screenshots/root',
  getRoot: '/api/projects/:projectId/screenshots/root/:jobId',
  getStatus: '/api/projects/:projectId/screenshots/root/:jobId/status',
  watchStatus: '/api/projects/:projectId/screenshots/root/:jobId/events',
  getRootOverview: '/api/projects/:projectId/screenshots/root/:jobId/overview',
  getArchive: '/api/projects/:projectId/screenshots/root/:jobId/pictures.zip',
  getPicture: '/api/projects/:projectId/screenshots/root/:jobId/pictures/:uuid',
  listOverviews: '/api/projects/:projectId/screenshots/overview',
  listPages: '/api/projects/:projectId/pages',
  listHistory: '/api/projects/:projectId/pages/history',
  cancelRoot: '/api/projects/:projectId/screenshots/root/:jobId/schedule',
  templates: '/api/projects/:projectId/templates',
  template: '/api/projects/:projectId/templates/:templateId',
  schedules: '/api/projects/:projectId/schedules',
  schedule: '/api/projects/:projectId/schedules/:scheduleId',
  runSchedule: '/api/projects/:projectId/schedules/:scheduleId/run',
  previewSchedule: '/api/projects/:projectId/schedules/preview',
  webhooks: '/api/projects/:projectId/webhooks',
  webhook: '/api/projects/:projectId/webhooks/:webhookId',
  testWebhook: '/api/projects/:projectId/webhooks/:webhookId/test',
  rotateSecret: '/api/projects/:projectId/webhooks/:webhookId/secret',
  replayDeliveries: '/api/projects/:projectId/webhooks/:webhookId/replay',
  deliveries: '/api/projects/:projectId/webhooks/:webhookId/deliveries',
  replayDelivery: '/api/projects/:projectId/webhooks/:webhookId/deliveries/:deliveryId/replay',
  keys: '/api/keys',
  key: '/api/keys/:keyId',
  session: '/api/session',
  sessionKey: '/api/session/:keyId',
  getReadiness: '/readyz',
  /** Followed by the key of an image and its signature. */
  images: '/images/',
} as const

export const projectsPath: string = paths.listProjects

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

export function eventsPath(projectId: string, rootId: string): string {
  return `${rootPath(projectId, rootId)}/events`
}

export function rootOverviewPath(projectId: string, rootId: string): string {
  return `${rootPath(projectId, rootId)}/overview`
}

export function archivePath(projectId: string, rootId: string): string {
  return `${rootPath(projectId, rootId)}/pictures.zip`
}

export function picturePath(projectId: string, rootId: string, uuid: string): string {
  return `${rootPath(projectId, rootId)}/pictures/${uuid}`
}

export function overviewsPath(projectId: string): string {
  return `${projectPath(projectId)}/screenshots/overview`
}

export function pagesPath(projectId: string): string {
  return `${projectPath(projectId)}/pages`
}

export function historyPath(projectId: string): string {
  return `${pagesPath(projectId)}/history`
}

/** The path with its parameters filled in, in their order. */
export function pathTo(path: (typeof paths)[keyof typeof paths], ...parameters: readonly string[]): string {
  let index = 0
  return path.replace(/:\w+/g, () => parameters[index++] ?? '')
}

/** The page of a root in the gallery. */
export function rootPagePath(projectId: string, rootId: string): string {
  return `/projects/${projectId}/roots/${rootId}`
}

/** Where a project has its things of one kind: all of them, and one. */
export function ownedPaths<const Name extends string>(name: Name) {
  const all = `/api/projects/:projectId/${name}s` as const
  return { all, one: `${all}/:${name}Id` as const }
}

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
  templates: ownedPaths('template').all,
  template: ownedPaths('template').one,
  schedules: ownedPaths('schedule').all,
  schedule: ownedPaths('schedule').one,
  runSchedule: '/api/projects/:projectId/schedules/:scheduleId/run',
  previewSchedule: '/api/projects/:projectId/schedules/preview',
  webhooks: ownedPaths('webhook').all,
  webhook: ownedPaths('webhook').one,
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

/** The names of the parameters of a path: `projectId` in `/api/projects/:projectId/pages`. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown

/** The path with its parameters filled in, in their order. */
export function pathTo(path: string, ...parameters: readonly string[]): string {
  let index = 0
  return path.replace(/:\w+/g, () => parameters[index++] ?? '')
}

const inProject = (path: string) => (projectId: string) => pathTo(path, projectId)

export const projectsPath: string = paths.listProjects
export const projectPath = inProject(paths.getProject)
export const rootsPath = inProject(paths.listRoots)
export const overviewsPath = inProject(paths.listOverviews)
export const pagesPath = inProject(paths.listPages)
export const historyPath = inProject(paths.listHistory)
export const rootPath = (projectId: string, rootId: string) => pathTo(paths.getRoot, projectId, rootId)

/** The page of a root in the gallery. */
export function rootPagePath(projectId: string, rootId: string): string {
  return `/projects/${projectId}/roots/${rootId}`
}

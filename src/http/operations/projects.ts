import type { KnownProject } from '../../access/door.ts'
import type { GivenKey } from '../../access/keys.ts'
import { ProjectRequest } from '../../contract/access.ts'
import { type Project, ProjectList } from '../../contract/browsing.ts'
import { parseId } from '../../contract/ids.ts'
import { paths, projectPath, projectsPath } from '../../contract/paths.ts'
import { createListQueries } from '../../contract/requests.ts'
import { AppError, requireValid, wrongRequest } from '../../errors.ts'
import { header, json, linkHeaders, linkNext, notModified } from '../answers/responses.ts'
import { matchesEtag } from '../answers/send-answer.ts'
import type { HttpContext } from '../context.ts'
import { type Declare, logAct } from '../operation.ts'
import { etagOf, expectedRevision } from '../rules/if-match.ts'
import { originOf } from '../rules/origin.ts'

export function projects(declare: Declare, context: HttpContext): void {
  const { administration, clock, door, projects, removeProject } = context
  const maxLimit = context.config.limits.listPage
  declare({
    id: 'listProjects',
    summary: 'List the projects',
    description: 'Oldest first. If keys are required, only the projects that the key opens.',
    path: paths.listProjects,
    query: createListQueries(maxLimit).plain,
    answers: { 200: json('The projects.', ProjectList, linkHeaders) },
    async run(request, reply) {
      const { limit = maxLimit, cursor } = request.query
      const { items, nextCursor } = await projects.list({ limit, cursor, only: onlyOf(request.keys) })
      linkNext(reply, originOf(request, context) + projectsPath, { limit, cursor: nextCursor })
      return await reply.header('cache-control', 'private, no-cache').send(items.map(toProjectResult))
    },
  })
  declare({
    id: 'getProject',
    summary: 'Get one project',
    description: 'Its name, when it was created, and how many screenshots it has.',
    path: paths.getProject,
    answers: { 200: json('The project.', 'Project'), 304: notModified },
    async run(request, reply) {
      const project = await door.getProject(request.params, request.apiKey)
      const etag = etagOf(project)
      reply.header('etag', etag).header('cache-control', 'private, no-cache')
      if (matchesEtag(request.headers['if-none-match'], etag)) return await reply.code(304).send()
      const counted = await projects.countPictures(project.projectId)
      return await reply.send({ ...toProjectResult(project), ...counted })
    },
  })
  declare({
    id: 'createProject',
    tag: 'Access',
    summary: 'Create a project',
    access: 'admin',
    method: 'POST',
    path: paths.listProjects,
    isPaced: true,
    body: { schema: 'ProjectRequest', read: readProjectRequest },
    answers: {
      201: json('The new project.', 'Project', { Location: header('The address of the project.') }),
    },
    fails: ['conflict'],
    async run(request, reply, { name, projectId: wanted }) {
      const project = await administration.createProject(name, wanted)
      const { projectId } = project
      logAct(request, 'created a project', { projectId })
      return await reply
        .code(201)
        .header('location', originOf(request, context) + projectPath(projectId))
        .header('etag', etagOf(project))
        .header('cache-control', 'no-store')
        .send(toProjectResult(project))
    },
  })
  declare({
    id: 'renameProject',
    tag: 'Access',
    summary: 'Rename a project',
    access: 'admin',
    method: 'PUT',
    path: paths.getProject,
    isPaced: true,
    header: 'If-Match',
    body: { schema: 'ProjectRequest', read: readProjectRequest },
    answers: { 200: json('The project with its new name.', 'Project') },
    async run(request, reply, { name, projectId: other }) {
      const project = await door.getProject(request.params, request.apiKey)
      const { projectId } = project
      if (other !== undefined && other !== projectId) {
        throw wrongRequest([{ pointer: '#/projectId', detail: 'cannot be changed' }])
      }
      const revision = expectedRevision(request, project)
      const renamed = await administration.renameProject(projectId, name, revision)
      logAct(request, 'renamed a project', { projectId })
      return await reply
        .header('etag', etagOf(renamed))
        .header('cache-control', 'no-store')
        .send(toProjectResult(renamed))
    },
  })
  declare({
    id: 'removeProject',
    tag: 'Access',
    summary: 'Remove a project',
    description:
      'Also removes its roots, pictures and keys. The answer comes when the project is hidden and its keys are removed; roots and ' +
      'pictures are removed after that. This cannot be undone.',
    access: 'admin',
    method: 'DELETE',
    path: paths.getProject,
    isPaced: true,
    header: 'If-Match',
    answers: { 204: { description: 'It is hidden, and is being removed.' } },
    async run(request, reply) {
      const project = await door.getProject(request.params, request.apiKey)
      expectedRevision(request, project)
      const { projectId } = project
      if (!(await removeProject(projectId, clock()))) throw new AppError('not_found')
      logAct(request, 'removed a project', { projectId })
      return await reply.code(204).send(null)
    },
  })
}

function toProjectResult({ projectId, name, created }: KnownProject): Project {
  return { projectId, name, meta: { created } }
}

/** The projects of these keys. Undefined: all projects. */
function onlyOf(keys: readonly GivenKey[] | undefined): string[] | undefined {
  if (!keys || keys.some(({ key }) => key.scope === 'admin')) return undefined
  return keys.flatMap(({ key }) => key.projectId ?? [])
}

/** Throws `bad_request`. The id is canonical. */
function readProjectRequest(body: unknown): { name: string; projectId: string | undefined } {
  const { name, projectId: text } = requireValid(ProjectRequest, body)
  if (text === undefined) return { name: name.trim(), projectId: undefined }
  const projectId = parseId(text)
  if (projectId === undefined) throw wrongRequest([{ pointer: '#/projectId', detail: 'must be a UUID' }])
  return { name: name.trim(), projectId }
}

import type { Template } from '../../../src/contract/templates.ts'
import { type Accepting, newPage, startAccepting } from './requests.ts'

export interface Templating extends Accepting {
  /** Sends a request to `…/templates`, or a path below it. */
  ask(method: string, after?: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Creates a template, and returns it. */
  make(more?: object): Promise<Template>
}

export function newTemplate(more: object = {}) {
  return { name: 'Nightly', screenshotParameter: { width: 1200, height: 720 }, urls: [newPage()], ...more }
}

/** A service that captures nothing, for requests about templates. */
export async function startTemplating(env: Record<string, string> = {}): Promise<Templating> {
  const service = await startAccepting(env)
  const ask: Templating['ask'] = (method, after = '', body = undefined, headers = {}) =>
    fetch(`${service.url}/api/projects/${service.projectId}/templates${after}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const make = async (more: object = {}) => {
    const response = await ask('POST', '', newTemplate(more))
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Template
  }
  return Object.assign(service, { ask, make })
}

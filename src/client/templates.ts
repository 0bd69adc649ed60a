import { paths } from '../contract/paths.ts'
import type { Template, TemplateRequest, TemplateRun } from '../contract/templates.ts'
import type {
  Asking,
  AskOptions,
  ChangeOptions,
  ListOptions,
  ListPages,
  RequestOptions,
  Versioned,
} from './asking.ts'

export interface TemplateCalls {
  listTemplates(projectId: string, options?: ListOptions): ListPages<Template>
  getTemplate(projectId: string, templateId: string, options?: AskOptions): Promise<Versioned<Template>>
  createTemplate(projectId: string, template: TemplateRequest, options?: AskOptions): Promise<Template>
  changeTemplate(
    projectId: string,
    templateId: string,
    template: TemplateRequest,
    options?: ChangeOptions,
  ): Promise<Template>
  removeTemplate(projectId: string, templateId: string, options?: ChangeOptions): Promise<void>
  /** Requests the pages of a template. Repeated as `requestScreenshots` is. */
  runTemplate(
    projectId: string,
    templateId: string,
    run?: TemplateRun,
    options?: RequestOptions,
  ): Promise<{ jobId: string }>
}

export function createTemplateCalls({ getVersioned, list, request, to, write }: Asking): TemplateCalls {
  return {
    listTemplates: (project, options = {}) => list(to(paths.templates, project), options),
    getTemplate: (project, template, options) => getVersioned(to(paths.template, project, template), options),
    createTemplate: (project, body, options) => write('POST', to(paths.templates, project), body, options),
    changeTemplate: (project, template, body, options) =>
      write('PUT', to(paths.template, project, template), body, options),
    removeTemplate: (project, template, options) =>
      write('DELETE', to(paths.template, project, template), undefined, options),
    runTemplate: (project, template, run = {}, options) =>
      request(to(paths.template, project, template), run, options),
  }
}

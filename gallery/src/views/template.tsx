import { useEffect, useState } from 'preact/hooks'
import type { ScreenshotRequest } from '../../../src/contract/screenshot-request.ts'
import type { TemplateRequest } from '../../../src/contract/templates.ts'
import { toTemplates } from '../addresses.ts'
import type { Draft } from '../form/draft.ts'
import { go } from '../navigation.ts'
import { Layout } from '../parts/layout.tsx'
import { LoadForm } from '../parts/load-form.tsx'
import { Problem } from '../parts/problem.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { client } from '../session.ts'

/** The form of a template: of a new one, or of one that is changed. */
export function TemplateView({ projectId, templateId }: { projectId: string; templateId: string }) {
  return templateId === '' ? <NewTemplate projectId={projectId} /> : <Edit {...{ projectId, templateId }} />
}

function NewTemplate({ projectId }: { projectId: string }) {
  return (
    <Layout title="New template" projectId={projectId} place="templates">
      <LoadForm
        title="New template"
        submit="Save the template"
        isTemplate
        send={async (request, draft) => {
          await client.createTemplate(projectId, toTemplate(request, draft))
          go(toTemplates(projectId))
        }}
      />
    </Layout>
  )
}

function toTemplate(request: ScreenshotRequest, { templateName, otherPages }: Draft): TemplateRequest {
  return { name: templateName.trim(), ...request, ...(otherPages && { otherPages }) }
}

interface Read {
  readonly before: Draft
  readonly version: string | undefined
}

function Edit({ projectId, templateId }: { projectId: string; templateId: string }) {
  const [read, setRead] = useState<Read>()
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    const left = new AbortController()
    const load = async () => {
      const [template, { fromTemplate }] = await Promise.all([
        client.getTemplate(projectId, templateId, left),
        import('../form/from-request.ts'),
      ])
      setRead({ before: fromTemplate(template), version: template.version })
    }
    load().catch((error) => {
      if (!left.signal.aborted) setFailure(error)
    })
    return () => left.abort()
  }, [projectId, templateId])
  return (
    <Layout title="Edit the template" projectId={projectId} place="templates">
      {failure !== undefined && <Problem failure={failure} retry={() => location.reload()} />}
      {!read && failure === undefined && <Waiting />}
      {read && (
        <LoadForm
          title="Edit the template"
          submit="Save the template"
          isTemplate
          before={read.before}
          send={async (request, draft) => {
            const { version } = read
            await client.changeTemplate(projectId, templateId, toTemplate(request, draft), { version })
            go(toTemplates(projectId))
          }}
        />
      )}
    </Layout>
  )
}

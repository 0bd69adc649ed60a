import { useCallback, useEffect } from 'preact/hooks'
import { toTemplate } from '../addresses.ts'
import { Layout } from '../parts/layout.tsx'
import { RenewContext } from '../parts/preview.tsx'
import { Problem } from '../parts/problem.tsx'
import { TemplateCard } from '../parts/template-card.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { atATime, client } from '../session.ts'
import { useListing } from '../use-listing.ts'

const PAGE = 50

export function TemplatesView({ projectId }: { projectId: string }) {
  const templates = useListing(
    `templates ${projectId}`,
    () => client.listTemplates(projectId, { limit: atATime(PAGE) }),
    ({ last }) => last?.preview,
  )
  const { items } = templates
  useEffect(() => {
    if (!templates.complete) templates.more()
  }, [templates, items.length])
  return (
    <Layout title="Templates" projectId={projectId} place="templates">
      {items.length > 0 && (
        <div class="heading">
          <h1>Templates</h1>
          <p class="actions">
            <a class="button" href={toTemplate(projectId)}>
              New template
            </a>
          </p>
        </div>
      )}
      <RenewContext.Provider value={useCallback(() => templates.renewUnlessJustDone(), [templates])}>
        <ul class="templates">
          {items.map((template) => (
            <li key={template.templateId}>
              <TemplateCard
                projectId={projectId}
                template={template}
                onRemoved={() => void templates.renew()}
              />
            </li>
          ))}
        </ul>
      </RenewContext.Provider>
      {templates.failure !== undefined && (
        <Problem failure={templates.failure} retry={() => templates.retry()} />
      )}
      {templates.growing && <Waiting />}
      {templates.complete && items.length === 0 && (
        <div class="empty">
          <h1>There are no templates yet</h1>
          <p>A template keeps a request, to run it again.</p>
          <p>
            <a class="primary" href={toTemplate(projectId)}>
              Create a template
            </a>
          </p>
        </div>
      )}
    </Layout>
  )
}

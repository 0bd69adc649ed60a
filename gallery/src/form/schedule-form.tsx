import { useState } from 'preact/hooks'
import type { ScheduleRequest } from '../../../src/contract/schedules.ts'
import type { Template } from '../../../src/contract/templates.ts'
import { toTemplate } from '../addresses.ts'
import { Choice } from '../parts/choice.tsx'
import { type Draft, lacksSecrets, NEW } from './draft.ts'
import type { Form } from './fields.tsx'
import { CheckInput, MistakeList, SelectInput, TextInput } from './inputs.tsx'
import { findDraft } from './kept-drafts.ts'
import { placeMistakes } from './mistakes.ts'
import { RequestFields } from './request-fields.tsx'
import { NEW_PLAN, PLAN_FIELDS, type Plan, toScheduleRequest } from './schedule-plan.ts'
import { SecretsNotice } from './secrets-notice.tsx'
import { toRequest } from './to-request.ts'
import { useKeptDraft } from './use-kept-draft.ts'
import { type PlacedMistakes, placeAt, type Told, useSending } from './use-sending.ts'
import { WhenFields } from './when-fields.tsx'

export interface ScheduleFormProps {
  readonly projectId: string
  readonly templates: readonly Template[]
  /** The schedule that is edited. Without it: a new one. */
  readonly before?: { readonly plan: Plan; readonly draft: Draft | undefined }
  readonly send: (schedule: ScheduleRequest) => Promise<void>
}

/** The form of a schedule: its name, what it captures, and when. */
export function ScheduleForm({ projectId, templates, before, send }: ScheduleFormProps) {
  const [{ name, draft: kept }] = useState(findDraft)
  const [draft, setDraft] = useState(kept ?? before?.draft ?? NEW)
  const [plan, setPlan] = useState<Plan>(() => before?.plan ?? newPlan(kept, templates))
  const [hasNoSecrets] = useState(() => lacksSecrets(draft))
  useKeptDraft(name, draft)
  const { busy, mistakes, submit, element } = useSending(
    () => send(toScheduleRequest(plan, toRequest(draft))),
    (told) => place(draft, told),
  )
  const form: Form = { draft, mistakes, change: (fields) => setDraft((now) => ({ ...now, ...fields })) }
  const change = (fields: Partial<Plan>) => setPlan((now) => ({ ...now, ...fields }))
  return (
    <form ref={element} class="capture" onSubmit={submit} noValidate>
      <h1>{before ? 'Edit the schedule' : 'New schedule'}</h1>
      <TextInput
        name="scheduleName"
        label="Name"
        placeholder="Every night"
        value={plan.name}
        onText={(text) => change({ name: text })}
        mistakes={mistakes['scheduleName']}
      />
      <WhenFields projectId={projectId} plan={plan} change={change} mistakes={mistakes} />
      <div class="field">
        <p class="label">What it captures</p>
        <Choice
          legend="What it captures"
          choices={[
            ['template', 'A template'],
            ['own', 'Its own pages'],
          ]}
          chosen={plan.what}
          onChoose={(what) => change({ what })}
        />
      </div>
      {plan.what === 'template' && templates.length > 0 && (
        <SelectInput
          name="templateId"
          label="Template"
          value={plan.templateId}
          choices={choicesOf(templates, plan.templateId)}
          onChoose={(templateId) => change({ templateId })}
          mistakes={mistakes['templateId']}
        />
      )}
      {plan.what === 'template' && templates.length === 0 && (
        <p class="notice">
          There are no templates yet. <a href={toTemplate(projectId)}>Create a template</a> first, or give the
          schedule its own pages.
        </p>
      )}
      {plan.what === 'own' && (
        <>
          {hasNoSecrets && <SecretsNotice areKept={before !== undefined} />}
          <RequestFields form={form} isOpened={hasNoSecrets && !before} />
        </>
      )}
      <CheckInput
        name="overlaps"
        label="Run even if the previous request is unfinished"
        hint="otherwise that time is skipped"
        checked={plan.overlaps}
        onCheck={(overlaps) => change({ overlaps })}
      />
      <MistakeList place="form" mistakes={mistakes['form']} />
      <button type="submit" class="primary" aria-disabled={busy}>
        {busy ? 'Sending…' : 'Save the schedule'}
      </button>
    </form>
  )
}

/** A draft that was kept has pages; else a template is the shorter way, if there is one. */
function newPlan(kept: Draft | undefined, [template]: readonly Template[]): Plan {
  if (kept || !template) return { ...NEW_PLAN, what: 'own' }
  return { ...NEW_PLAN, templateId: template.templateId }
}

function choicesOf(templates: readonly Template[], chosen: string): (readonly [string, string])[] {
  const known = templates.map(({ templateId, name }) => [templateId, name] as const)
  if (chosen === '' || templates.some(({ templateId }) => templateId === chosen)) return known
  return [[chosen, 'A removed template'], ...known]
}

/** Mistakes in the request are shown at its fields, in the words of those fields. */
function place(draft: Draft, told: Told): PlacedMistakes {
  const isInside = ({ pointer = '' }: Told[number]) => pointer.startsWith('#/request/')
  const inside = told.filter(isInside).map(({ pointer = '', detail }) => ({
    pointer: pointer.replace('#/request', '#'),
    detail,
  }))
  return {
    ...placeAt(
      PLAN_FIELDS,
      told.filter((each) => !isInside(each)),
    ),
    ...placeMistakes(draft, inside),
  }
}

import { check } from './check.ts'
import { GIVEN_REQUEST, LastRoot, Name } from './owned.ts'
import { STRICT, type Static, Time, Type } from './schema.ts'
import {
  createAskedFields,
  createUrls,
  parseScreenshotRequest,
  type RequestLimits,
} from './screenshot-request.ts'
import { ScheduleDescription, ScheduledTs } from './when.ts'

// A template is a request that is kept under a name. Its secrets are never shown: answers have empty strings in their place.

const OtherPages = Type.Boolean({
  description:
    'Whether runs may name other pages of the same origins, even if the template has secrets. Then everyone who may run it ' +
    'can send its password, headers and cookies to any page there, and see the picture of that page. Without secrets, runs may ' +
    'always name other pages.',
})

/** The body of `POST …/templates` and `PUT …/templates/:templateId`. */
export const createTemplateRequest = (limits: RequestLimits) =>
  Type.Object(
    { name: Name, ...createAskedFields(limits), otherPages: Type.Optional(OtherPages) },
    {
      $id: 'TemplateRequest',
      description:
        'A request with a name. When a template is changed, an empty string instead of a secret keeps the stored secret of the ' +
        'same page.',
      ...STRICT,
    },
  )

export type TemplateRequest = Static<ReturnType<typeof createTemplateRequest>>

/** Returns all mistakes of the body, or its name and its request, without fields that count as absent. */
export function parseTemplateRequest(body: unknown, limits: RequestLimits) {
  const { value, mistakes } = check(createTemplateRequest(limits), body, { nothing: 'not_given' })
  if (mistakes) return { mistakes }
  const { name, screenshotParameter, urls, failOn, otherPages } = value
  const given: Omit<TemplateRequest, 'name'> = { screenshotParameter, urls, ...(failOn && { failOn }) }
  const parsed = parseScreenshotRequest(given, limits, { isChecked: true })
  return parsed.asked
    ? { name, given: { ...given, ...(otherPages && { otherPages }) } }
    : { mistakes: parsed.mistakes }
}

/** The body of `POST …/templates/:templateId`. All fields may be left out, and so may the body. */
export const createTemplateRun = (limits: RequestLimits) =>
  Type.Object(
    {
      urls: Type.Optional(createUrls(limits)),
      scheduledTs: Type.Optional(ScheduledTs),
      scheduleDescription: Type.Optional(ScheduleDescription),
    },
    {
      $id: 'TemplateRun',
      description:
        '`urls` replace those of the template. If the template has secrets, they must be pages of the template, or pages of the same ' +
        'origins if it has `otherPages`, with the options that the template has for them.',
      ...STRICT,
    },
  )

export type TemplateRun = Static<ReturnType<typeof createTemplateRun>>

export const Template = Type.Object(
  {
    templateId: Type.String({ format: 'uuid' }),
    name: Type.String(),
    ...GIVEN_REQUEST,
    otherPages: Type.Optional(OtherPages),
    created: Time('When it was created.'),
    changed: Time('When it was last changed.'),
    last: Type.Optional(LastRoot),
  },
  { $id: 'Template', description: 'A request that is kept under a name. Secrets are empty strings.' },
)

export type Template = Static<typeof Template>

export const TemplateList = Type.Array(Type.Reference<Template>('Template'), {
  description: 'Templates, newest first.',
})

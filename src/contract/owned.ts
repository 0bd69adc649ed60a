import { Optional, type Schema, type Static, Time, Type } from './schema.ts'
import type { ScreenshotRequest } from './screenshot-request.ts'
import { State } from './status.ts'

// What templates, schedules and webhooks have in common.

const MAX_NAME = 200

/** The name of a template, a schedule or a webhook. */
export const Name = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  description: 'A name for people.',
  examples: ['Nightly'],
})

export const LastRoot = Type.Object({
  rootId: Type.String({ format: 'uuid' }),
  created: Time('When it was requested.'),
  state: State,
  preview: Optional.String({
    description: 'The signed address of the preview of its first picture, if it has one.',
  }),
})

export type LastRoot = Static<typeof LastRoot>

/** Its fields are those of the request. */
const AsGiven = <T>() =>
  Type.Object({}, { description: 'As it was given. Secrets are empty strings.' }) as unknown as Schema<T>

/** A request as it is shown: as it was given, with empty strings for secrets. */
export const GIVEN_REQUEST = {
  screenshotParameter: AsGiven<ScreenshotRequest['screenshotParameter']>(),
  urls: Type.Array(AsGiven<ScreenshotRequest['urls'][number]>()),
  failOn: Optional.Enum(['status']),
}

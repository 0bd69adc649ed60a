import { Optional, rule, STRICT, type Static, Time, Type } from './schema.ts'

// Access: keys, the session of a browser, and the projects that an administrator creates.

export const KEY_SCOPES = ['read', 'write', 'admin'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

const MAX_NAME = 200

const KEY = {
  keyId: Type.String({ description: 'Not secret. Log lines name it.', examples: ['6c0a1f93b2d4'] }),
  scope: Type.Enum(KEY_SCOPES, {
    description: '`write` includes `read`. `admin` opens every project, and can create projects and keys.',
  }),
  projectId: Optional.String({
    format: 'uuid',
    description: 'The project that it opens. Absent: all of them (`admin`).',
  }),
  label: Type.String({ description: 'The purpose of the key.' }),
  created: Time('When it was created.'),
  revoked: Type.Optional(Time('When it was revoked.')),
}

export const Key = Type.Object(KEY, { $id: 'Key', description: 'An API key, without its secret.' })
export type Key = Static<typeof Key>

/** The body of `POST /api/keys`. */
export const KeyRequest = Type.Object(
  {
    scope: KEY.scope,
    projectId: KEY.projectId,
    label: Optional.String({ maxLength: MAX_NAME }),
  },
  { $id: 'KeyRequest', description: '`projectId` is required, except for `admin`.', ...STRICT },
)
export type KeyRequest = Static<typeof KeyRequest>

export const NewKey = Type.Object(
  { ...KEY, key: Type.String({ description: 'The key itself. It is not shown again.' }) },
  { $id: 'NewKey' },
)
export type NewKey = Static<typeof NewKey>

export const KeyList = Type.Array(Type.Reference<Key>('Key'), { description: 'Keys, oldest first.' })

/** The body of `POST /api/projects` and `PUT /api/projects/:projectId`. */
export const ProjectRequest = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      examples: ['My site'],
      [rule]: (text: string) => (text.trim() === '' ? 'must not be blank' : undefined),
    }),
    projectId: Optional.String({
      format: 'uuid',
      description: 'The id of a new project. Without it: a random id.',
    }),
  },
  { $id: 'ProjectRequest', ...STRICT },
)
export type ProjectRequest = Static<typeof ProjectRequest>

/** The body of `POST /api/session`. */
export const SignIn = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }),
    stay: Optional.Boolean({
      description:
        'Stay signed in for thirty days, also after the browser was closed. Without it, the session keeps its length; a new one ends with the browser.',
    }),
  },
  { $id: 'SignIn', ...STRICT },
)
export type SignIn = Static<typeof SignIn>

export const Session = Type.Object(
  {
    auth: Type.Enum(['open', 'keys'], { description: '`open`: no key is required.' }),
    keys: Type.Array(Type.Reference<Key>('Key'), {
      description: 'The keys that this request was sent with: by its header, or by the cookie.',
    }),
    isAdmin: Type.Boolean({ description: 'Whether projects and keys may be created.' }),
  },
  { $id: 'Session', description: 'The current session.' },
)
export type Session = Static<typeof Session>

import { type Static, Type } from './schema.ts'

export const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    capturing: Type.Object(
      {
        state: Type.Enum(['ready', 'elsewhere', 'no_browser', 'stuck'], {
          description:
            'Who captures: this process, other processes (workers), none because there is no browser, or none although pages wait.',
        }),
        browser: Type.Optional(Type.String({ description: 'The browser of this process.' })),
        detail: Type.Optional(Type.String({ description: 'What is wrong, and what to do about it.' })),
      },
      { description: 'Whether new screenshots can be captured.' },
    ),
  },
  { description: 'Results can be read.' },
)

export type Readiness = Static<typeof Readiness>

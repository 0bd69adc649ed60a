import { type Static, Type } from './schema.ts'

export const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    capturing: Type.Object(
      {
        state: Type.Enum(['ready', 'elsewhere', 'no_browser', 'stuck'], {
          description:
            'Who captures: this process, others (workers), nobody for want of a browser, or nobody though pages wait.',
        }),
        browser: Type.Optional(Type.String({ description: 'Which browser this process captures with.' })),
        detail: Type.Optional(Type.String({ description: 'What is wrong, and what helps.' })),
      },
      { description: 'Whether new screenshots can be captured.' },
    ),
  },
  { description: 'Results can be read.' },
)

export type Readiness = Static<typeof Readiness>

import { Optional, type Static, Type } from './schema.ts'

export const Readiness = Type.Object(
  {
    status: Type.Literal('ok'),
    capturing: Type.Object(
      {
        state: Type.Enum(['ready', 'elsewhere', 'no_browser', 'stuck'], {
          description:
            '`ready`: this process captures. `elsewhere`: other processes (workers) capture. `no_browser`: there is no browser. `stuck`: pages wait, but none is captured.',
        }),
        browser: Optional.String({ description: 'The browser of this process.' }),
        detail: Optional.String({ description: 'The problem, and how to fix it.' }),
      },
      { description: 'Whether new screenshots can be captured.' },
    ),
  },
  { description: 'Results can be read.' },
)

export type Readiness = Static<typeof Readiness>

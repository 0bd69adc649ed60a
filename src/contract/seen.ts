import { type Static, Type } from './schema.ts'

/** Marks of a page that its picture does not show. Clients depend on them: marks are only added. */
export const MARKS = {
  error: 'its server answered with an HTTP status of 400 or more',
  cut: 'the page is longer than a picture may be: its end is missing',
  wide: 'the page is wider than the picture: its right side is missing',
  restless: 'the page never came to rest: the picture is one moment of it',
  incomplete: 'something that the page needs did not load',
} as const
export type Mark = keyof typeof MARKS
export const MARK_NAMES = Object.keys(MARKS) as Mark[]

/** A page as the browser saw it. */
export const Seen = Type.Object(
  {
    status: Type.Integer({ description: 'The HTTP status of the page.' }),
    url: Type.String({ description: 'Where the page was in the end, after all redirects.' }),
    title: Type.String(),
    failedResources: Type.Integer({
      description: 'How many resources of the page did not load, or came with a status of 400 or more.',
    }),
    marks: Type.Array(
      Type.Enum(MARK_NAMES, {
        description: Object.entries(MARKS)
          .map(([mark, words]) => `\`${mark}\`: ${words}.`)
          .join(' '),
      }),
    ),
  },
  { $id: 'Seen', description: 'The page as the browser saw it.' },
)

export type Seen = Static<typeof Seen>

import { explain, Optional, type Static, Type } from './schema.ts'

/** Marks of a page that its picture does not show. Clients depend on them: marks are only added. */
export const MARKS = {
  error: 'its server answered with an HTTP status of 400 or more',
  cut: 'the page is longer than a picture may be: its end is missing',
  wide: 'the page is wider than the picture: its right side is missing, or its left side if a note says so',
  restless: 'the page never came to rest: the picture is one moment of it',
  waiting: 'it still shows placeholders, such as skeletons: its content did not come',
  incomplete: 'something that the page needs did not load',
} as const
export type Mark = keyof typeof MARKS
export const MARK_NAMES = Object.keys(MARKS) as Mark[]

/** Steps that a picture can do without, and what was ignored. Clients depend on them: they are only added. */
export const NOTES = {
  click: 'an element to be clicked was not found, or could not be clicked',
  hide: 'an element to be hidden was not found',
  wide: 'the side of the page that is missing is its left one',
  cookie_banner: 'no banner was found that asks for consent, or it could not be declined',
  effect: 'an effect was given a parameter of another effect, and ignored it',
} as const
export type NoteName = keyof typeof NOTES

export const Note = Type.Object({
  note: Type.Enum(Object.keys(NOTES) as NoteName[], {
    description: explain(NOTES),
  }),
  detail: Type.String({ description: 'For people.' }),
})
export type Note = Static<typeof Note>

export const Seen = Type.Object(
  {
    status: Type.Integer({ description: 'The HTTP status of the page.' }),
    url: Type.String({ description: 'The final URL of the page, after all redirects.' }),
    title: Type.String(),
    failedResources: Type.Integer({
      description: 'How many resources of the page did not load, or came with a status of 400 or more.',
    }),
    marks: Type.Array(Type.Enum(MARK_NAMES, { description: explain(MARKS) })),
    notes: Optional.Array(Note, {
      description: 'Steps that did not work, and what was ignored. Absent: nothing.',
    }),
  },
  { $id: 'Seen', description: 'The page as the browser saw it.' },
)

export type Seen = Static<typeof Seen>

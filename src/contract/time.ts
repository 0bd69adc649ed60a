import { type Schema, Type } from './schema.ts'

export const Time = (description: string): Schema<number> =>
  Type.Integer({ description: `${description} Unix milliseconds.` })

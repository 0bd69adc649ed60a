import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { check } from '../../contract/check.ts'
import type { Schema } from '../../contract/schema.ts'
import { AppError } from '../../errors.ts'

type GivenQuery = Readonly<Record<string, unknown>>

/** Checks the query of each operation, and parses its values. Bodies are read elsewhere; ids and headers may be any text. */
const compileQuery: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  if (httpPart !== 'querystring') return () => true
  const properties = Object.entries(schema['properties'] as Record<string, Schema>)
  const read = (query: GivenQuery) => {
    const parsed = Object.fromEntries(
      properties.map(([name, property]) => [name, parse(property, query[name])]),
    )
    // Texts that no database can store are allowed: nothing matches them.
    const { value, mistakes } = check(schema, parsed, { texts: 'any' })
    if (!mistakes) return { value }
    const told = mistakes.map(({ pointer, detail }) => ({ parameter: pointer.slice(2), detail }))
    const message = told.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ')
    return { error: new AppError('bad_request', message, { mistakes: told }) }
  }
  // Most requests have no query. Checking that would take a fiftieth of their time.
  const none = Object.freeze(read({}).value)
  return (query: GivenQuery) => (none && Object.keys(query).length === 0 ? { value: none } : read(query))
}

/**
 * Instead of Ajv and fast-json-stringify, which Fastify would load (decision 23): operations answer what their schema
 * describes. Fastify's type knows only Ajv.
 */
export const schemaController = {
  compilersFactory: { buildValidator: () => compileQuery, buildSerializer: () => () => JSON.stringify },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>

/** A text that cannot be parsed stays as it is. The check then refuses it. */
function parse(schema: Schema, given: unknown): unknown {
  if (given === undefined) return undefined
  if (schema.type === 'array') return [given].flat().map((item) => parse(schema['items'] as Schema, item))
  if (schema.type === 'integer') return given === '' ? given : parseNumber(given)
  if (schema.type === 'boolean') return given === 'true' || (given === 'false' ? false : given)
  return given
}

function parseNumber(given: unknown): unknown {
  const number = typeof given === 'string' ? Number(given) : Number.NaN
  return Number.isInteger(number) ? number : given
}

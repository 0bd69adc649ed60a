import { nearestName } from './nearest-name.ts'
import { givenOf, isNothing } from './options/given.ts'
import { requiredOf, rule, type Schema } from './schema.ts'
import { mustBe } from './sentences.ts'

/** More mistakes are not reported: a small body must not cause a huge answer. */
const MAX_MISTAKES = 100
/** A longer name is not repeated: escaped, it is six times as long. */
const MAX_NAME = 200
const NOT_PLAIN = 'must not contain a NUL character or half of a surrogate pair'

export interface Mistake {
  /** A JSON pointer (RFC 6901), as a URI fragment. */
  readonly pointer: string
  readonly detail: string
}

export interface CheckOptions {
  /** `any`: also strings that no database can store. */
  readonly texts?: 'plain' | 'any'
  /** `not_given`: null, an empty list and an empty object count as absent, and the result does not have that field. */
  readonly nothing?: 'checked' | 'not_given'
}

export type Checked<T> =
  | { readonly value: T; readonly mistakes?: undefined }
  | { readonly value?: undefined; readonly mistakes: readonly Mistake[] }

/**
 * Compares a JSON value with a schema. Returns the value, or its mistakes: unknown fields of an object first, then its
 * fields in the order of the schema. The number of mistakes is limited. The time is linear in the size of the value.
 */
export function check<T>(schema: Schema<T>, value: unknown, options: CheckOptions = {}): Checked<T> {
  const found = new Check(options)
  found.look(schema, value, undefined)
  if (found.mistakes.length > 0) return { mistakes: found.mistakes }
  return { value: (options.nothing === 'not_given' ? givenOf(value) : value) as T }
}

/** Where a value is. Its pointer is written only for a mistake: most values have none. */
interface Place {
  readonly of: Place | undefined
  readonly name: string | number
}

class Check {
  readonly mistakes: Mistake[] = []
  readonly #options: CheckOptions

  constructor(options: CheckOptions) {
    this.#options = options
  }

  look(schema: Schema, value: unknown, at: Place | undefined): void {
    if (this.mistakes.length >= MAX_MISTAKES) return
    if (!this.#fits(schema, value)) {
      this.#add(at, mustBe(schema, value))
      return
    }
    const before = this.mistakes.length
    if (Array.isArray(value)) {
      const { items = {} } = schema
      for (const [index, item] of value.entries()) this.look(items, item, { of: at, name: index })
    } else if (typeof value === 'object') {
      this.#lookInside(schema, value as Record<string, unknown>, at)
    } else if (typeof value === 'string' && this.#options.texts !== 'any' && !isPlain(value)) {
      this.#add(at, NOT_PLAIN)
    }
    if (this.mistakes.length > before) return
    const problem = schema[rule]?.(value)
    if (problem !== undefined) this.#add(at, problem)
  }

  /** Whether it has the right form. Its content is checked later. */
  #fits(schema: Schema, value: unknown): boolean {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema as Record<
      string,
      number
    >
    const { enum: values, const: only } = schema
    switch (schema.type) {
      case 'object':
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
        return maxProperties === undefined || Object.keys(value).length <= maxProperties
      case 'array':
        return Array.isArray(value) && isWithin(value.length, minItems, maxItems)
      case 'integer':
        return Number.isInteger(value) && isWithin(value as number, minimum, maximum)
      case 'number':
        return typeof value === 'number' && isWithin(value, minimum, maximum)
      case 'boolean':
        return typeof value === 'boolean'
      case 'string':
        if (typeof value !== 'string') return false
        if (only !== undefined) return value === only
        if (Array.isArray(values)) return values.includes(value)
        return isWithin(lengthOf(value, maxLength), minLength, maxLength)
      default:
        throw new Error(`check does not support the type ${JSON.stringify(schema.type)}`)
    }
  }

  #lookInside(schema: Schema, value: Record<string, unknown>, at: Place | undefined): void {
    const { oneOf, discriminator, properties, additionalProperties, propertyNames } = schema
    if (oneOf) {
      const { propertyName } = discriminator as { propertyName: string }
      this.#lookAtOneOf(oneOf, propertyName, value, at)
    } else if (properties) {
      this.#lookAtFields(schema, value, at)
    } else {
      for (const [name, field] of Object.entries(value)) {
        const place = { of: at, name }
        const problem = this.#problemOfName(propertyNames, name)
        if (problem !== undefined) this.#add(place, problem)
        else this.look(additionalProperties || {}, field, place)
      }
    }
  }

  #problemOfName(schema: Schema | undefined, name: string): string | undefined {
    if (!isPlain(name)) return NOT_PLAIN
    return schema && (this.#fits(schema, name) ? schema[rule]?.(name) : mustBe(schema))
  }

  #lookAtOneOf(
    schemas: readonly Schema[],
    name: string,
    value: Record<string, unknown>,
    at: Place | undefined,
  ): void {
    const kinds = schemas.map((schema) => schema.properties?.[name])
    const kind = Object.hasOwn(value, name) ? value[name] : undefined
    const index = kinds.findIndex((schema) => schema?.['const'] === kind)
    const schema = schemas[index]
    if (schema) this.#lookAtFields(schema, value, at)
    else {
      const names = { type: 'string', enum: kinds.map((each) => each?.['const']) }
      this.#add({ of: at, name }, mustBe(names, kind))
    }
  }

  #lookAtFields(schema: Schema, value: Record<string, unknown>, at: Place | undefined): void {
    const { properties = {}, additionalProperties } = schema
    const required = requiredOf(schema, value)
    if (additionalProperties === false) this.#refuseOthers(Object.keys(value), at, properties)
    for (const [name, property] of Object.entries(properties)) {
      const field = Object.hasOwn(value, name) ? value[name] : undefined
      if (required.includes(name) || !this.#isLeftOut(field)) this.look(property, field, { of: at, name })
    }
  }

  #isLeftOut(field: unknown): boolean {
    return field === undefined || (this.#options.nothing === 'not_given' && isNothing(field))
  }

  #refuseOthers(names: string[], at: Place | undefined, properties: Readonly<Record<string, Schema>>): void {
    const all = Object.keys(properties).filter((name) => !properties[name]?.['deprecated'])
    const known = `is not known; known are ${all.join(', ')}`
    let isLongOneTold = false
    for (const name of names) {
      if (this.mistakes.length >= MAX_MISTAKES) return
      if (Object.hasOwn(properties, name)) continue
      if (name.length <= MAX_NAME) {
        const near = nearestName(name, all)
        const unknown = near === undefined ? known : `is not known; did you mean ${near}?`
        this.#add({ of: at, name }, unknown)
      } else if (!isLongOneTold) {
        isLongOneTold = true
        this.#add(at, `has a field with a name of more than ${MAX_NAME} characters, which ${known}`)
      }
    }
  }

  #add(at: Place | undefined, detail: string): void {
    this.mistakes.push({ pointer: `#${pathOf(at)}`, detail })
  }
}

function pathOf(at: Place | undefined): string {
  return at ? `${pathOf(at.of)}/${escapeName(String(at.name))}` : ''
}

function isWithin(size: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return size >= least && size <= most
}

/** In characters, as JSON Schema counts them. A text that is far too long is counted in UTF-16 units, which is faster. */
function lengthOf(text: string, most = Number.POSITIVE_INFINITY): number {
  return text.length <= most || text.length > 2 * most ? text.length : [...text].length
}

function escapeName(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** Whether every database can store it: no NUL, no half of a character. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

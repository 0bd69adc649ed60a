import { nearestName } from './nearest-name.ts'
import { requiredOf, type Schema } from './schema.ts'

/** Longer lists are not repeated in a sentence. */
const MOST_NAMED = 20
/** A longer string is not a misspelled name. */
const LONGEST_NAME = 200

/** Says in words what a value must be. If an allowed value was misspelled, the sentence suggests it. */
export function mustBe(schema: Schema, value?: unknown): string {
  return `must be ${describe(schema)}${didYouMean(schema, value)}`
}

function didYouMean({ enum: values }: Schema, value: unknown): string {
  if (
    !Array.isArray(values) ||
    values.length === 1 ||
    typeof value !== 'string' ||
    value.length > LONGEST_NAME
  )
    return ''
  const near = nearestName(value, values)
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
}

function describe(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema as Record<string, number>
  switch (schema.type) {
    case 'object':
      return describeObject(schema)
    case 'array':
      return `a list of ${range(minItems, maxItems)}${nameOf(schema.items ?? {})}s`
    case 'integer':
    case 'number': {
      const noun = schema.type === 'integer' ? 'a whole number' : 'a number'
      return minimum === undefined || maximum === undefined ? noun : `${noun} from ${minimum} to ${maximum}`
    }
    case 'boolean':
      return 'true or false'
    default:
      return (
        describeText(schema) ??
        (maxLength === undefined ? 'a string' : `a string of ${range(minLength, maxLength)}characters`)
      )
  }
}

/** Names the required fields, or the optional ones if none is required. */
function describeObject(schema: Schema): string {
  const { properties, maxProperties } = schema
  if (!properties) return `an object of ${range(0, maxProperties as number | undefined)}names`
  const required = requiredOf(schema)
  return `an object with ${(required.length > 0 ? required : Object.keys(properties)).join(', ')}`
}

/** Names the values, if only a few are allowed. */
function describeText({ enum: values, const: only, examples }: Schema): string | undefined {
  const allowed = only === undefined ? values : [only]
  if (!Array.isArray(allowed)) return undefined
  if (allowed.length > MOST_NAMED) {
    const [example = allowed[0]] = (examples as unknown[] | undefined) ?? []
    return `one of ${allowed.length} names, such as ${JSON.stringify(example)}`
  }
  const texts = allowed.map((each) => JSON.stringify(each))
  return texts.length === 1 ? texts[0] : `one of ${texts.join(', ')}`
}

function nameOf({ title, type }: Schema): string {
  if (typeof title === 'string') return title
  return type === 'string' ? 'string' : type === 'integer' ? 'number' : 'object'
}

function range(least = 0, most?: number): string {
  if (most === undefined) return least === 0 ? '' : `${least} or more `
  return least === 0 ? `at most ${most} ` : `${least} to ${most} `
}

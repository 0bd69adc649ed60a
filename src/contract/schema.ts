/** A check that keywords cannot express. Returns the problem with a value of the right form, if there is one. */
export const rule: unique symbol = Symbol('rule')

/** Fields that are required beside `required`, depending on the others. Gets undefined if the value is not an object. */
export const alsoRequired: unique symbol = Symbol('alsoRequired')

export interface Options {
  readonly [keyword: string]: unknown
  readonly [rule]?: Rule
  readonly [alsoRequired]?: AlsoRequired
}

/** JSON Schema with the TypeScript type that it describes. Only data: `check.ts` compares values with it. */
export interface Schema<T = unknown> extends Options {
  readonly type?: string
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Properties
  readonly additionalProperties?: Schema | false
  readonly propertyNames?: Schema
  readonly oneOf?: readonly Schema[]
  /** Only the compiler sees it. */
  readonly [described]?: T
}

// biome-ignore lint/suspicious/noExplicitAny: a rule gets a value that has the form of its schema
type Rule = (value: any) => string | undefined
type AlsoRequired = (value?: Readonly<Record<string, unknown>>) => readonly string[]

export function requiredOf(schema: Schema, value?: Readonly<Record<string, unknown>>): readonly string[] {
  return [...(schema.required ?? []), ...(schema[alsoRequired]?.(value) ?? [])]
}

declare const described: unique symbol
declare const absent: unique symbol

export type Static<S> = S extends Schema<infer T> ? T : never

/** May be left out of an object. */
export interface Optional<T> extends Schema<T> {
  readonly [absent]?: true
}

type Properties = Readonly<Record<string, Schema>>
type OptionalNames<P> = { [K in keyof P]: typeof absent extends keyof P[K] ? K : never }[keyof P]
type Described<P> = { [K in Exclude<keyof P, OptionalNames<P>>]: Static<P[K]> } & {
  [K in OptionalNames<P>]?: Static<P[K]>
}

const optionals = new WeakSet<object>()

export const Type = {
  String: (options?: Options): Schema<string> => ({ type: 'string', ...options }),
  Integer: (options?: Options): Schema<number> => ({ type: 'integer', ...options }),
  Number: (options?: Options): Schema<number> => ({ type: 'number', ...options }),
  Boolean: (options?: Options): Schema<boolean> => ({ type: 'boolean', ...options }),
  Null: (options?: Options): Schema<null> => ({ type: 'null', ...options }),
  Literal: <const T extends string>(value: T): Schema<T> => ({ type: 'string', const: value }),
  Enum: <const T extends string>(values: readonly T[], options?: Options): Schema<T> => ({
    type: 'string',
    enum: values,
    ...options,
  }),
  Array: <T>(items: Schema<T>, options?: Options): Schema<T[]> => ({ type: 'array', items, ...options }),
  /** May be left out of an object. */
  Optional<T>(schema: Schema<T>): Optional<T> {
    const optional = { ...schema }
    optionals.add(optional)
    return optional
  },
  Object<const P extends Properties>(properties: P, options?: Options): Schema<Described<P>> {
    const required = Object.keys(properties).filter((name) => !optionals.has(properties[name] as object))
    return { type: 'object', required, properties, ...options }
  },
  /** An object with any names. A rule in `propertyNames` checks them. */
  Record: <T>(values: Schema<T>, options?: Options): Schema<Record<string, T>> => ({
    type: 'object',
    additionalProperties: values,
    ...options,
  }),
  /** One of several objects. The field `name` says which one. */
  OneOf: <const S extends Schema>(
    name: string,
    schemas: readonly S[],
    options?: Options,
  ): Schema<Static<S>> => ({
    type: 'object',
    oneOf: schemas,
    discriminator: { propertyName: name },
    ...options,
  }),
  /** Points at a schema by its `$id`, so that a document states each schema once. */
  Reference: <T>(id: string): Schema<T> => ({ $ref: `${id}#` }),
}

/** For objects that clients send: other fields are mistakes. */
export const STRICT = { additionalProperties: false }

/** The kinds, for fields that may be left out of an object. */
export const Optional = {
  String: (options?: Options) => Type.Optional(Type.String(options)),
  Integer: (options?: Options) => Type.Optional(Type.Integer(options)),
  Number: (options?: Options) => Type.Optional(Type.Number(options)),
  Boolean: (options?: Options) => Type.Optional(Type.Boolean(options)),
  Enum: <const T extends string>(values: readonly T[], options?: Options) =>
    Type.Optional(Type.Enum(values, options)),
  Array: <T>(items: Schema<T>, options?: Options) => Type.Optional(Type.Array(items, options)),
  Object: <const P extends Properties>(properties: P, options?: Options) =>
    Type.Optional(Type.Object(properties, options)),
}

/** Describes names, each with its words. */
export const explain = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([name, each]) => `\`${name}\`: ${each}.`)
    .join(' ')

export const Time = (description: string): Schema<number> =>
  Type.Integer({ description: `${description} Unix milliseconds.` })

type Optional<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}
type Required<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
}

/** Leaves out the fields that are undefined. The others keep their order. */
export function defined<Fields extends object>(fields: Fields): Required<Fields> & Optional<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Required<Fields> & Optional<Fields>
}

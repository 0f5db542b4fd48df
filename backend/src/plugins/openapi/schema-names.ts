/** Gives the schemas of a document their names in the code, so that generated clients have types for them. */

type Json = Readonly<Record<string, unknown>>
type Named = ReadonlyMap<string, string>

/** Shortest schema that gets a name, in characters of JSON. Shorter ones stay in place. */
const SHORTEST = 60

/** Moves every schema of `exports` that `document` contains to `components.schemas`, once, under its name. */
export function withNames<Document extends object>(document: Document, exports: Json): Document {
  const named: Named = new Map(
    Object.entries(exports)
      .filter(([, value]) => isSchema(value))
      .map(([name, value]) => [textOf(value), name] as const)
      .filter(([text]) => text.length >= SHORTEST),
  )
  const used = new Map<string, unknown>()
  const paths = replace((document as { paths?: unknown }).paths, named, used)
  const components = (document as { components?: object }).components
  const schemas = Object.fromEntries([...used].sort(([a], [b]) => a.localeCompare(b)))
  return { ...document, paths, components: { ...components, schemas } }
}

/** The same text for a schema and for its form in the document. There a constant is an enum of one value. */
const textOf = (schema: unknown): string =>
  JSON.stringify(schema, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('const' in value)) return value
    const { const: only, ...rest } = value
    return { ...rest, enum: [only] }
  })

const isSchema = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value)

/** Works from the outside in: it replaces the largest named schema first, then the named parts of that schema. */
function replace(value: unknown, named: Named, used: Map<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const name = named.get(textOf(value))
  if (name === undefined) return inside(value, named, used)
  if (!used.has(name)) {
    // Set before its parts are replaced, because they may refer to it.
    used.set(name, {})
    used.set(name, inside(value, named, used))
  }
  return { $ref: `#/components/schemas/${name}` }
}

function inside(value: object, named: Named, used: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => replace(item, named, used))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, named, used)]))
}

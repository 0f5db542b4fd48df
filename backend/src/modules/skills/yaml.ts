/** Reads front matter with a YAML library, as texts, lists and fields alone. Pure. */
import { type Node, isMap, isScalar, isSeq, parseDocument } from 'yaml'

/** Every scalar is a text: `1.0` stays `1.0`, and `yes` is no boolean. Null stands for what skills do not have. */
export type Value = string | readonly Value[] | ReadonlyMap<string, Value> | null

/** How deep lists and fields may be nested. Skills need two. */
const DEPTH_MAX = 4

/** Whether a value is fields by their names. */
export const isFields = (value: Value | undefined): value is ReadonlyMap<string, Value> => value instanceof Map

/** The fields by their names, or a sentence about what is wrong. */
export const parsedFields = (yaml: string): ReadonlyMap<string, Value> | string => {
  const document = parseDocument(yaml, { schema: 'failsafe', uniqueKeys: true, stringKeys: true, logLevel: 'silent' })
  const [problem] = [...document.errors, ...document.warnings]
  // The library adds the lines around the place.
  if (problem) return problem.message.split('\n')[0]!.replace(/:$/, '')
  const value = valueOf(document.contents, 0)
  if (value === null) return 'it has no fields'
  return isFields(value) ? value : 'it must have fields'
}

/** Aliases are none of these, so nothing is repeated and nothing refers to itself. */
const valueOf = (node: Node | null, depth: number): Value => {
  if (depth > DEPTH_MAX) return null
  if (isScalar(node)) return typeof node.value === 'string' ? node.value : null
  if (isSeq<Node>(node)) return node.items.map((item) => valueOf(item, depth + 1))
  if (!isMap<Node, Node | null>(node)) return null
  return new Map(
    node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', valueOf(value, depth + 1)]),
  )
}

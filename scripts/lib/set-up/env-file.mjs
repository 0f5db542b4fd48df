// Compose's `.env`: lines of NAME=value. The user may have changed or added lines.

/**
 * Sets variables in the text of an `.env`. It replaces variables in their place, and adds missing ones at the end.
 *
 * @param {string} text the file's content
 * @param {Record<string, string>} values must have no line breaks, quotes or dollar signs
 * @returns {string}
 */
export const withVariables = (text, values) => {
  const left = new Map(Object.entries(values))
  const lines = text.split('\n').map((line) => {
    const name = /^([A-Z_]+)=/.exec(line)?.[1]
    if (!left.has(name)) return line
    const value = left.get(name)
    left.delete(name)
    return `${name}=${value}`
  })
  while (lines.at(-1) === '') lines.pop()
  return [...lines, ...[...left].map(([name, value]) => `${name}=${value}`), ''].join('\n')
}

/** A line of `.env` as Compose reads it: quotes around the value, and a comment after it, are not part of the value. */
const LINE = /^\s*(?:export\s+)?(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*(?:\s#.*)?$/

/**
 * The value that Compose uses for a variable: the environment's, or else the last one in `.env`.
 *
 * @param {string} text the file's content
 * @param {string} name
 * @returns {string | undefined} undefined if both have none, or an empty one
 */
export const composeSetting = (text, name) => {
  if (process.env[name]) return process.env[name]
  const values = text
    .split('\n')
    .map((line) => LINE.exec(line))
    .filter((found) => found?.[1] === name)
    .map(([, , ...forms]) => forms.find((form) => form !== undefined))
  return values.at(-1) || undefined
}

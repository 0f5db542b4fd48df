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

/** Lists and texts by name, as users write them: one on each line. */

/** Each line that is not empty. */
export const listIn = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== '')

/** `Name=value` on each line. Null: a line has no separator or no name. */
export function textsIn(text: string, separator: '=' | ':'): Record<string, string> | null {
  const texts: Record<string, string> = {}
  for (const line of listIn(text)) {
    const at = line.indexOf(separator)
    if (at <= 0) return null
    const value = line.slice(at + 1)
    texts[line.slice(0, at).trim()] = separator === ':' ? value.trim() : value
  }
  return texts
}

export const textOfTexts = (texts: Readonly<Record<string, string>> | null, separator: '=' | ': '): string =>
  Object.entries(texts ?? {})
    .map(([name, value]) => `${name}${separator}${value}`)
    .join('\n')

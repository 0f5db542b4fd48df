import { pathsIn } from './paths.ts'

/** Most files that a text offers as links. */
export const TEXT_FILES_MAX = 12

/**
 * The paths in a text that may be files, from the home: one without a beginning is below the folder. Each is there once. A
 * lookup in the agent decides.
 */
export function pathsOfText(text: string, cwd: string): string[] {
  const found = new Set<string>()
  for (const line of text.split('\n')) {
    for (const { path } of pathsIn(line.replaceAll('`', ' '))) {
      found.add(/^[/~]/.test(path) ? path : `${cwd}/${path.replace(/^\.\//, '')}`)
      if (found.size >= TEXT_FILES_MAX) return [...found]
    }
  }
  return [...found]
}

/** The scripts that work on a git work tree inside a container: what they have in common. */
import { readFileSync } from 'node:fs'

const text = (url: URL): string => readFileSync(url, 'utf8')
const shared = (name: string): string => text(new URL(`scripts/${name}.sh`, import.meta.url))

type Part = 'repository' | 'lock' | 'patches' | 'paths' | 'files' | 'stash'

/**
 * A script of a work tree, behind what it needs: how git is run without anything of the repository (always), its references
 * and remotes (`repository`), the `lock` of the index, what is between two trees (`patches`), files that a user names (`paths`), files
 * that are written (`files`), and the `stash`.
 */
export const workTreeScript = (needs: readonly Part[], script: URL): string =>
  [...['work-tree', ...needs].map(shared), text(script)].join('\n')

/** What a script of another room needs to write files all or not at all, under the lock of the index. */
export const writingScript = ['lock', 'files'].map(shared).join('\n')

/** A folder in a container for git's files. It is in no home, so it goes with the container. */
export const ownFolder = (id: string): string => `/tmp/slipway-changes-${id}`

/** The scripts that work on a git work tree inside a container: what they have in common. */
import { readFileSync } from 'node:fs'

const text = (url: URL): string => readFileSync(url, 'utf8')
const shared = (name: string): string => text(new URL(`scripts/${name}.sh`, import.meta.url))

/**
 * A script of a work tree, behind what it needs: how git is run without anything of the repository (always), its references
 * and remotes (`repository`), what is between two trees (`patches`), files that a user names (`paths`), and the `stash`.
 */
export const workTreeScript = (needs: readonly ('repository' | 'patches' | 'paths' | 'stash')[], script: URL): string =>
  [...['work-tree', ...needs].map(shared), text(script)].join('\n')

/** A folder in a container for git's files. It is in no home, so it goes with the container. */
export const ownFolder = (id: string): string => `/tmp/slipway-changes-${id}`

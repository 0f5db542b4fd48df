// Finds the files of the checkout that differ from a commit.
import { capture, mustRun } from '../commands.mjs'
import { inRoot } from '../paths.mjs'
import { SetUpError } from '../steps.mjs'

const git = async (...argv) => (await mustRun(['git', ...argv])).stdout
const linesOf = (text) => text.split('\n').filter((line) => line !== '')

/**
 * Files that were added, edited or deleted since this branch left `base`, committed or not.
 *
 * @param {string} base a commit, branch or tag
 * @returns {Promise<string[]>} absolute paths, sorted
 * @throws {SetUpError} when there is no such commit
 */
export const changedSince = async (base) => {
  const { code, stdout } = await capture(['git', 'merge-base', base, 'HEAD'])
  if (code !== 0) throw new SetUpError(`git knows no commit ${base} with which this branch has one in common.`)
  const edited = await git('diff', '--name-only', '--no-renames', stdout.trim(), '--')
  const added = await git('ls-files', '--others', '--exclude-standard')
  return [...new Set([...linesOf(edited), ...linesOf(added)])].sort().map((file) => inRoot(file))
}

import { FIND_PATHS_MAX } from '@slipway/protocol'
import { findFiles } from '@/api/files/files.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { picturesIn } from '@/lib/tasks/new/picture.ts'

/**
 * Those of the agents that cannot read the pictures of a prompt, with why. A picture is in the agent alone that it was
 * uploaded to.
 */
export async function withoutPictures(agents: readonly string[], prompt: string): Promise<ReadonlyMap<string, string>> {
  const paths = picturesIn(prompt).slice(0, FIND_PATHS_MAX)
  if (paths.length === 0) return new Map()
  const whyOf = (agent: string): Promise<string | null> =>
    findFiles(agent, paths).then(
      (found) =>
        found.every(({ kind }) => kind === 'file')
          ? null
          : `${agent} does not have the pictures of the prompt. Choose the agent that has them, or remove them.`,
      (cause: unknown) => `Could not look for the pictures of the prompt in ${agent}. ${messageOf(cause)}`,
    )
  const looked = await Promise.all([...new Set(agents)].map(async (agent) => [agent, await whyOf(agent)] as const))
  return new Map(looked.flatMap(([agent, why]) => (why === null ? [] : [[agent, why] as const])))
}

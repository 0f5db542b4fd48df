/** The targets of a comparison, as its form edits them. */
import { AGENT_HOME, COMPARED_MIN, type CreateComparison } from '@slipway/protocol'
import { folderOf } from '../new/draft.ts'

export interface TargetDraft {
  agent: string
  /** Id of the coding CLI. */
  provider: string
  /** Empty: the default. */
  model: string
  /** The folder as the user wrote it; empty: the home. */
  cwd: string
}

/** An absolute path that ends with a slash. The server also resolves `..`. */
const placeOf = ({ cwd }: TargetDraft): string => {
  const folder = folderOf(cwd)
  const path = folder === null ? AGENT_HOME : folder.startsWith('/') ? folder : `${AGENT_HOME}/${folder}`
  return `${path}/`
}

/** For each target, what is wrong with it; null if nothing is. */
export function problemsOfTargets(targets: readonly TargetDraft[]): (string | null)[] {
  return targets.map((target, at) => {
    if (target.agent === '') return 'Choose an agent.'
    if (target.provider === '') return 'Choose a coding CLI.'
    const place = placeOf(target)
    const isTaken = targets
      .slice(0, at)
      .some(
        (other) =>
          other.agent === target.agent && (placeOf(other).startsWith(place) || place.startsWith(placeOf(other))),
      )
    return isTaken
      ? `An earlier one works in this folder of ${target.agent}. They would overwrite each other’s files. Choose another folder or agent.`
      : null
  })
}

export const bodyOfComparison = (prompt: string, targets: readonly TargetDraft[]): CreateComparison => ({
  prompt,
  targets: targets.map((target) => {
    const folder = folderOf(target.cwd)
    return {
      agent: target.agent,
      provider: target.provider,
      ...(target.model.trim() !== '' && { model: target.model.trim() }),
      ...(folder !== null && { cwd: folder }),
    }
  }),
})

/** What a new comparison begins with: an agent for each target if there are enough, each with its own CLI. */
export function firstTargets(agents: readonly { readonly name: string; readonly runtime: string }[]): TargetDraft[] {
  const [first, ...others] = agents.filter(({ runtime }) => runtime !== 'bash')
  if (first === undefined) return []
  const second = others.find(({ runtime }) => runtime !== first.runtime) ?? others[0] ?? first
  return [first, second]
    .slice(0, COMPARED_MIN)
    .map(({ name, runtime }) => ({ agent: name, provider: runtime, model: '', cwd: '' }))
}

/** What the API calls a field of a target, and what the page calls it. */
const FIELDS: Record<string, string> = {
  cwd: 'The folder',
  model: 'The model',
  prompt: 'The prompt',
  provider: 'The coding CLI',
}

/** Why a target did not start, in the words of the page: "The folder must be ..." for "body.cwd: must be ...". */
export const refusalWords = (message: string): string =>
  message.replace(/^body\.(\w+): /, (_, field: string) => `${FIELDS[field] ?? field} `)

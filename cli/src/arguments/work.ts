/** The options of the commands that hand an agent work. */
import type { RunPolicy, WorktreeMode } from '@slipway/protocol'
import { type Options, type Values, wholeNumber } from './command.ts'

const POLICIES = ['skip', 'tiers', 'ask'] as const satisfies readonly RunPolicy[]
const WORKTREES = ['auto', 'always', 'off'] as const satisfies readonly WorktreeMode[]

export const workOptions = {
  provider: { type: 'string', value: 'NAME', about: 'The coding CLI, in place of the agent’s own' },
  model: { type: 'string', value: 'NAME', about: 'A model of the coding CLI' },
  cwd: { type: 'string', value: 'FOLDER', about: 'A folder in the home of the agent' },
  policy: { type: 'string', value: 'NAME', about: 'What to ask people about', values: POLICIES },
  worktree: {
    type: 'string',
    value: 'MODE',
    about: 'Whether it works in a git worktree of its own',
    values: WORKTREES,
  },
  validate: { type: 'boolean', about: 'Run the checks of the repository afterwards' },
  gate: {
    type: 'string',
    value: 'REPAIRS',
    about: 'Complete only if the checks pass, after so many repairs at most; 0 repairs nothing',
  },
} as const satisfies Options

/** The fields of a request that these options set. */
export const workFields = ({ provider, model, cwd, policy, worktree, validate, gate }: Values<typeof workOptions>) => ({
  ...(provider === undefined ? {} : { provider }),
  ...(model === undefined ? {} : { model }),
  ...(cwd === undefined ? {} : { cwd }),
  ...named('policy', policy, POLICIES),
  ...named('worktree', worktree, WORKTREES),
  ...(validate === true ? { validate } : {}),
  ...gateOf(wholeNumber('gate', gate)),
})

const gateOf = (repairs: number | undefined) => (repairs === undefined ? {} : { gate: { repairs } })

/** A field whose value is one of a list. The parser has refused all others. */
const named = <K extends string, V extends string>(field: K, given: string | undefined, values: readonly V[]) => {
  const value = values.find((one) => one === given)
  return (value === undefined ? {} : { [field]: value }) as { [F in K]?: V }
}

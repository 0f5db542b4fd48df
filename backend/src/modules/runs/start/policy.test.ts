import type { AgentPolicy, RunPolicy } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import type { TaskProvider } from '../../providers/task-provider.ts'
import { permissionsOf, permissionsOfWaiting } from './policy.ts'

const provider = (can: object) => ({ label: 'A CLI', headless: can }) as unknown as TaskProvider
const ABLE = provider({ people: {}, plans: true })
const UNABLE = provider({})
const agent = (policy: AgentPolicy | null, skipPermissions = true) => ({ policy, skipPermissions })
/** The policy with which a run starts; the refusal if it may not. */
const started = (
  asked: RunPolicy | undefined,
  ...[of, by = ABLE]: [ReturnType<typeof agent>, TaskProvider?]
): unknown => {
  try {
    return permissionsOf(asked === undefined ? {} : { policy: asked }, 'auto', by, of)
  } catch (error) {
    return (error as Error).message
  }
}

describe('the policy of a task', () => {
  it('is that of its agent where it names none', () => {
    expect(started(undefined, agent(null))).toEqual({ policy: null, skips: true, plans: false })
    expect(started(undefined, agent(null, false))).toEqual({ policy: null, skips: false, plans: false })
    expect(started(undefined, agent('tiers'))).toEqual({ policy: 'tiers', skips: false, plans: false })
    expect(started(undefined, agent('plan'))).toEqual({ policy: 'plan', skips: false, plans: true })
  })

  it('may be stricter than that of its agent, and not laxer', () => {
    const order = ['skip', 'tiers', 'ask', 'plan'] as const
    for (const [at, ofAgent] of (['tiers', 'ask', 'plan'] as const).entries())
      for (const [of, asked] of order.entries()) {
        const expected: unknown =
          of > at
            ? expect.objectContaining({ policy: asked })
            : `body.policy: the tasks of this agent have the policy ${ofAgent} or a stricter one`
        expect(started(asked, agent(ofAgent))).toEqual(expected)
      }
    expect(started('skip', agent(null))).toMatchObject({ skips: true })
    expect(started('skip', agent(null, false))).toMatch(/does not let its CLIs skip/)
  })

  it('is refused where the CLI cannot have it, with the field that is to change', () => {
    expect(started('ask', agent(null), UNABLE)).toBe('body.policy: A CLI cannot ask people in a task')
    expect(started('plan', agent(null), UNABLE)).toBe('body.policy: A CLI cannot only plan in a task')
    expect(started(undefined, agent('plan'), UNABLE)).toBe(
      'body.provider: A CLI cannot only plan in a task, as the policy plan of this agent needs',
    )
    expect(started('plan', agent('tiers'), UNABLE)).toMatch(/^body.policy: /)
  })

  it('lets no CLI skip its prompts on a terminal if the agent has one, and none work there if the agent only plans', () => {
    const onTerminal = (of: ReturnType<typeof agent>) => permissionsOf({}, 'interactive', UNABLE, of)
    expect(onTerminal(agent(null))).toEqual({ policy: null, skips: true, plans: false })
    expect(onTerminal(agent('ask'))).toEqual({ policy: null, skips: false, plans: false })
    expect(() => onTerminal(agent('plan'))).toThrow(/only plan/)
    expect(() => permissionsOf({ policy: 'ask' }, 'interactive', ABLE, agent(null))).toThrow(/asks on its terminal/)
  })

  it('follows an agent that became stricter while the task waited in line', () => {
    const later = (policy: RunPolicy | null, of: ReturnType<typeof agent>) =>
      permissionsOfWaiting({ policy }, 'auto', ABLE, of).policy
    expect(later('tiers', agent('ask'))).toBe('ask')
    expect(later('ask', agent('tiers'))).toBe('ask')
    expect(later(null, agent('tiers'))).toBe('tiers')
    expect(later('skip', agent(null, false))).toBeNull()
  })
})

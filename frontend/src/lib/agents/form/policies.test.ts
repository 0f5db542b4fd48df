import { describe, expect, it } from 'vitest'
import { policyChoices, policyProblem } from './policies.ts'

const ALL = { asks: true, plans: true }
const choices = (...[agent, skills = ALL]: [Parameters<typeof policyChoices>[0], typeof ALL?]) =>
  policyChoices(agent, skills).map(({ value, label }) => `${value}: ${label}`)

describe('the policies of a task', () => {
  it('are that of its agent, and the stricter ones that its CLI can have', () => {
    const agent = { skipPermissions: true, policy: null }
    const [tiers, ask, plan] = ['tiers: Ask about risks', 'ask: Ask before it acts', 'plan: Only plan']
    expect(choices(agent)).toEqual(['null: Skip permission prompts', tiers, ask, plan])
    expect(choices({ ...agent, skipPermissions: false })[0]).toBe('null: As the agent is set')
    expect(choices({ ...agent, policy: 'tiers' })).toEqual(['null: Ask about risks', ask, plan])
    expect(choices({ ...agent, policy: 'plan' })).toEqual(['null: Only plan'])
    expect(choices(agent, { asks: true, plans: false })).toEqual(['null: Skip permission prompts', tiers, ask])
    expect(choices(agent, { asks: false, plans: false })).toEqual(['null: Skip permission prompts'])
  })

  it('say so where its CLI cannot have that of its agent', () => {
    const none = { asks: false, plans: false }
    expect([policyProblem(null, none, 'Codex'), policyProblem('ask', ALL, 'Codex')]).toEqual([null, null])
    expect(policyProblem('ask', none, 'Codex')).toBe('Codex cannot ask people in a task, so its tasks do not start.')
    expect(policyProblem('plan', { asks: true, plans: false }, 'Codex')).toMatch(/cannot only plan/)
  })
})

import type { AskedPeople, ClaudeHook } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../lib/errors.ts'
import type { NewAsk } from '../service.ts'
import { Hooks } from './hooks.ts'

const VISITOR = { agentId: 'agent', sessionId: 'session' }
const GRAVE = 'rm -rf /'

const setUp = (outcome: Pick<AskedPeople, 'state' | 'answer'> | AppError = { state: 'open', answer: null }) => {
  const asked: NewAsk[] = []
  const needs: (string | null)[] = []
  const hooks = new Hooks({
    asks: {
      ask: (_visitor, ask) => {
        asked.push(ask)
        return outcome instanceof AppError ? Promise.reject(outcome) : Promise.resolve({ id: ask.id, ...outcome })
      },
    },
    needs: (_visitor, what) => void needs.push(what),
  })
  const take = (hook: Partial<ClaudeHook>) =>
    hooks.take(VISITOR, 'id', { hook_event_name: 'PreToolUse', ...hook }, new AbortController().signal)
  const bash = (command: string, mode = 'bypassPermissions') =>
    take({ permission_mode: mode, tool_name: 'Bash', tool_input: { command, timeout: 5 } })
  return { asked, needs, take, bash }
}

describe('a command', () => {
  it('that can be brought back goes on without a question, and so does another tool', async () => {
    const { asked, bash, take } = setUp()
    expect([await bash('sudo ls'), await take({ tool_name: 'Write', tool_input: { command: GRAVE } })]).toEqual([
      {},
      {},
    ])
    expect(asked).toEqual([])
  })

  it('that is grave is asked about in Claude’s own way where it has one', async () => {
    const { asked, bash } = setUp()
    expect(await bash(GRAVE, 'default')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } })
    expect(asked).toEqual([])
  })

  it('that is grave waits for people where Claude skips its permission prompts', async () => {
    const { asked, bash } = setUp()
    expect(await bash(GRAVE)).toBeNull()
    expect(asked).toMatchObject([{ id: 'id', question: { kind: 'approval', command: GRAVE, tier: 3, editable: true } }])
  })

  it('that is too long for a card cannot be changed there', async () => {
    const { asked, bash } = setUp()
    await bash(`${GRAVE} ${'x'.repeat(20_000)}`)
    expect(asked).toMatchObject([{ question: { editable: false } }])
  })

  it.each([
    ['allowed', { state: 'answered', answer: { decision: 'allow' } }, { permissionDecision: 'allow' }],
    [
      'changed',
      { state: 'answered', answer: { decision: 'allow', command: 'ls' } },
      { permissionDecision: 'allow', updatedInput: { command: 'ls', timeout: 5 } },
    ],
    [
      'denied',
      { state: 'answered', answer: { decision: 'deny', reason: 'Not now.' } },
      { permissionDecision: 'deny', permissionDecisionReason: 'Not now.' },
    ],
    ['cancelled', { state: 'cancelled', answer: null }, { permissionDecision: 'deny' }],
    ['not answered', { state: 'expired', answer: null }, { permissionDecision: 'deny' }],
    ['withdrawn', { state: 'withdrawn', answer: null }, { permissionDecision: 'deny' }],
    ['answered with a value', { state: 'answered', answer: { value: true } }, { permissionDecision: 'deny' }],
  ] as const)('that is %s has that answer', async (_what, outcome, decision) => {
    expect(await setUp(outcome).bash(GRAVE)).toMatchObject({ hookSpecificOutput: decision })
  })

  it('that would be one question too many is denied', async () => {
    const { bash } = setUp(new AppError('TOO_MANY_DIALOGS', 'There are too many.'))
    expect(await bash(GRAVE)).toMatchObject({ hookSpecificOutput: { permissionDecisionReason: 'There are too many.' } })
  })
})

it('a terminal waits with a question of Claude, and not while Claude has nothing to do', async () => {
  const { needs, take } = setUp()
  for (const notification_type of ['permission_prompt', 'elicitation_dialog', 'idle_prompt', 'constructor'])
    await take({ hook_event_name: 'Notification', notification_type })
  await take({ hook_event_name: 'Stop' })
  expect(needs).toEqual(['permission', 'answer', null, null, null])
})

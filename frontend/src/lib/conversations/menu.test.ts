import type { Conversation } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { actsOf } from './menu.ts'

const CONVERSATION = {
  ...{ agent: 'atlas', provider: 'claude-code', displayName: 'Claude Code', state: 'active', activity: 'idle' },
  ...{ lastRunId: 'r', resumeRunId: 'r', queued: 0, turns: 1, canFork: true },
} as Conversation
const acts = (more: Partial<Conversation> = {}, mayManage = true) =>
  actsOf({ ...CONVERSATION, ...more }, mayManage).map(({ act, isDisabled, obstacle }) =>
    isDisabled ? `${act}: ${obstacle}` : act,
  )

describe('the menu of a conversation', () => {
  it('has all acts for those who manage it, and for others those that change nothing in it', () => {
    expect(acts()).toEqual(['link', 'rename', 'terminal', 'fork', 'archive'])
    expect(acts({}, false)).toEqual(['link', 'terminal', 'fork'])
    expect(acts({ state: 'archived' })).toContain('restore')
    expect(acts({ activity: 'terminal' })).toContain('show_terminal')
  })

  it('says what has to happen first', () => {
    const after = 'When the turn has ended'
    const nothing = 'When nothing runs and nothing is queued'
    expect(acts({ activity: 'running', canFork: false })).toEqual([
      ...['link', 'rename', `terminal: ${after}`, `fork: ${after}`, `archive: ${nothing}`],
    ])
    expect(acts({ queued: 1 })).toContain(`archive: ${nothing}`)
    expect(acts({ canFork: false })).toContain('fork: Claude Code cannot fork a session')
    expect(acts({ resumeRunId: null })).toContain('terminal: null')
  })

  it('leaves out what needs an agent or a terminal of the CLI', () => {
    expect(acts({ agent: null })).toEqual(['link', 'rename', 'archive'])
    expect(acts({ agent: null }, false)).toEqual(['link'])
    expect(acts({ provider: 'custom:mine' }, false)).toEqual(['link', 'fork'])
    expect(acts({ lastRunId: null, turns: 0, canFork: false }, false)).toEqual([
      'link',
      'fork: When the turn has ended',
    ])
  })
})

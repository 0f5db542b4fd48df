import { WORKTREE_WAS_REMOVED } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import {
  conversationWord,
  errorNotice,
  holderOf,
  overtakenNotice,
  queueWaitsFor,
  sendObstacle,
  shapeOfConversation,
  steerObstacle,
} from './state.ts'

const IDLE = { state: 'active', activity: 'idle', waitsFor: null } as const

describe('the state of a conversation', () => {
  it('has a word and a shape for each', () => {
    const all = [
      IDLE,
      { ...IDLE, activity: 'starting' },
      { ...IDLE, activity: 'running' },
      { ...IDLE, activity: 'waiting', waitsFor: 'person' },
      { ...IDLE, activity: 'waiting', waitsFor: 'usage_limit' },
      { ...IDLE, activity: 'terminal' },
      { ...IDLE, state: 'errored' },
      { ...IDLE, state: 'archived' },
    ] as const
    expect(all.map((one) => [conversationWord(one), shapeOfConversation(one)])).toEqual([
      ['Ready', 'completed'],
      ['Starting', 'starting'],
      ['At work', 'running'],
      ['Waiting for you', 'waiting'],
      ['Waiting for the usage limit', 'waiting'],
      ['In a terminal', 'running'],
      ['Last turn failed', 'failed'],
      ['Archived', 'completed'],
    ])
    expect(conversationWord({ ...IDLE, activity: 'waiting', waitsFor: 'person' }, false)).toBe('Waiting for an answer')
  })

  it('says that an errored one is at work again once its next turn runs', () => {
    const again = { ...IDLE, state: 'errored', activity: 'running' } as const
    expect([conversationWord(again), shapeOfConversation(again)]).toEqual(['At work', 'running'])
  })

  it('names the turn that has the session, and says when messages are sent', () => {
    expect(queueWaitsFor({ activity: 'running', queued: 1 })).toBe('It is sent when the turn has ended.')
    expect(queueWaitsFor({ activity: 'terminal', queued: 2 })).toContain('when the terminal has ended')
    expect(holderOf({ activity: 'running', turns: 3 })).toBe('Turn 3 is running')
    expect(holderOf({ activity: 'terminal', turns: 3 })).toBeNull()
    expect(holderOf({ activity: 'idle', turns: 3 })).toBeNull()
  })
})

describe('a failed turn', () => {
  it('is followed by a message, after the worktree is back that a user had removed', () => {
    expect(errorNotice('It broke.')).toBe('It broke. Write a message to go on.')
    expect(errorNotice(`${WORKTREE_WAS_REMOVED}: app-1.`)).toBe(
      'The worktree of the task was removed: app-1. Once it is back, write a message to go on.',
    )
  })
})

describe('a message', () => {
  it('steers only a turn that takes messages, and the reason is a sentence', () => {
    const at = { activity: 'running', canSteer: false, currentRunUserId: 'me' } as const
    expect(steerObstacle({ ...at, canSteer: true }, 'me')).toBeNull()
    expect(steerObstacle(at, 'me')).toContain('only where it may ask people')
    expect(steerObstacle({ ...at, activity: 'starting' }, 'me')).toContain('not begun')
    expect(steerObstacle({ ...at, activity: 'starting' }, 'you')).toContain('belongs to another user')
  })

  it('that its user was changing has begun its turn, or does not wait for another reason', () => {
    expect(overtakenNotice('sent').title).toBe('The message has already begun its turn')
    expect(overtakenNotice('released').title).toBe('The message no longer waits')
    expect(overtakenNotice(null).title).toBe('The message no longer waits')
  })

  it('is taken by a conversation with an agent that is not archived', () => {
    expect(sendObstacle({ agent: 'atlas', state: 'errored' })).toBeNull()
    expect(sendObstacle({ agent: null, state: 'active' })).toContain('deleted')
    expect(sendObstacle({ agent: 'atlas', state: 'archived' })).toContain('Archived')
  })
})

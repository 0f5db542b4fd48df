import { describe, expect, it } from 'vitest'
import { incomingBodyOf, incomingProblemsOf, newIncoming, withSource } from '@/lib/webhooks/incoming.ts'
import { answerOf, heardOf, outgoingProblemsOf } from '@/lib/webhooks/outgoing.ts'
import { promptWith, templateProblemsOf } from './templates.ts'

describe('a template', () => {
  it('shows the fields that have no value yet, and reads no value as a field', () => {
    expect(promptWith('Fix {{ticket}} on {{ branch }}', { ticket: '{{branch}}' })).toBe('Fix {{branch}} on {{branch}}')
    expect(promptWith('Fix {{ticket}}', { ticket: '' })).toBe('Fix {{ticket}}')
  })

  it('says what is wrong with it', () => {
    expect(templateProblemsOf({ name: 'Fix', prompt: 'Fix {{ticket}}' })).toEqual({})
    expect(Object.keys(templateProblemsOf({ name: ' ', prompt: ' ' }))).toEqual(['name', 'prompt'])
    expect(templateProblemsOf({ name: 'x', prompt: '{{no name}}' }).prompt).toContain('without the name of a field')
    expect(templateProblemsOf({ name: 'x', prompt: 'x'.repeat(65_537) }).prompt).toContain('65,536')
  })
})

describe('the form of an incoming webhook', () => {
  it('follows the source as far as the user has changed nothing', () => {
    const form = newIncoming('atlas', 'github')
    expect(withSource(form, 'gitlab')).toEqual(newIncoming('atlas', 'gitlab'))
    expect(withSource({ ...form, prompt: 'Mine' }, 'gitlab')).toMatchObject({ prompt: 'Mine', events: 'Issue Hook' })
    expect(incomingBodyOf({ ...form, events: ' issues \n\nissues\npush' }).events).toEqual(['issues', 'push'])
    expect(incomingBodyOf({ ...form, source: 'url' }).events).toEqual([])
  })

  it('says what the server would refuse in a prompt', () => {
    const form = { ...newIncoming('atlas', 'github'), name: 'x' }
    expect(incomingProblemsOf(form)).toEqual({})
    expect(incomingProblemsOf({ ...form, prompt: '{{a}} first' }).prompt).toContain('must begin with a letter')
    expect(incomingProblemsOf({ ...form, prompt: 'Do {{a b}}' }).prompt).toContain('without the name of a field')
    expect(incomingProblemsOf({ ...form, prompt: '' }).prompt).toBe('Say what the agent should do.')
  })
})

it('an outgoing webhook says what it hears of, what came of it, and what is wrong with it', () => {
  expect([heardOf(['task.ended']), heardOf(['task.waiting', 'task.ended']), heardOf(['task.asks'])]).toEqual([
    'A task has ended',
    'A task has ended, or waits',
    'A task asks',
  ])
  expect(answerOf({ status: 204, error: null })).toBe('HTTP 204')
  expect(answerOf({ status: 500, error: 'The receiver refused it.' })).toBe('HTTP 500. The receiver refused it.')
  expect(answerOf({ status: null, error: 'The connection failed.' })).toBe('The connection failed.')
  const form = { name: 'x', url: 'ftp://example.org', kinds: [], withText: false }
  expect(Object.keys(outgoingProblemsOf(form))).toEqual(['url', 'kinds'])
})

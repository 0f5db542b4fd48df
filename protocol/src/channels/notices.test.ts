import type { Dialog } from '../dialogs/dialogs.ts'
import { expect, it } from 'vitest'
import { noticeKindOf, noticeOf } from './notices.ts'

const dialog = (title: string, more: Partial<Dialog> = {}) =>
  ({ title, agent: 'atlas', question: { kind: 'confirm' }, ...more }) as Dialog

it('names the agent of one question, and the number of several', () => {
  expect(noticeOf([dialog('Deploy?')])).toEqual({ title: 'atlas needs you', body: 'Deploy?' })
  expect(noticeOf([dialog('Deploy?', { agent: null })]).title).toBe('An agent needs you')
  expect(noticeOf([dialog('Newest?'), dialog('Older?')])).toEqual({ title: '2 need you', body: 'Newest?' })
})

it('takes a text of an agent as one short line, in which every character is in sight', () => {
  const { body } = noticeOf([dialog(`Run\n\n<b>\u202ecmd</b> ${'x'.repeat(500)}`)])
  expect(body).toMatch(/^Run <b>\ufffdcmd<\/b> x+…$/)
  expect(body.length).toBe(121)
})

it('tells approvals from other questions', () => {
  expect(noticeKindOf(dialog('?'))).toBe('questions')
  expect(noticeKindOf(dialog('?', { question: { kind: 'approval' } as Dialog['question'] }))).toBe('approvals')
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetPublishDrafts, keepPublishDraft, KEPT_TEXT_MAX, publishDraftOf, TASKS_MAX } from './kept.ts'

describe('what a user has typed to publish', () => {
  let stored = new Map<string, string>()
  beforeEach(() => {
    stored = new Map()
    const getItem = (name: string): string | null => stored.get(name) ?? null
    const setItem = (name: string, text: string): void => void stored.set(name, text)
    const removeItem = (name: string): void => void stored.delete(name)
    vi.stubGlobal('localStorage', { getItem, setItem, removeItem })
    forgetPublishDrafts()
  })
  afterEach(() => vi.unstubAllGlobals())

  it('is kept for each task and one user, until it is empty', () => {
    keepPublishDraft('ada', 'one', { subject: 'Fix' })
    keepPublishDraft('ada', 'two', { branch: 'b' })
    expect(publishDraftOf('ada', 'one')).toEqual({ subject: 'Fix' })
    expect(publishDraftOf('bob', 'one')).toEqual({})
    keepPublishDraft('ada', 'one', {})
    expect(publishDraftOf('ada', 'one')).toEqual({})
    expect(publishDraftOf('ada', 'two')).toEqual({ branch: 'b' })
  })

  it('stays in the page where the storage is full, or where a text is too long to be kept', () => {
    keepPublishDraft('ada', 'one', { subject: 'Fix' })
    const body = 'y'.repeat(KEPT_TEXT_MAX + 1)
    keepPublishDraft('ada', 'one', { subject: 'Fix', body })
    expect(publishDraftOf('ada', 'one')).toEqual({ subject: 'Fix', body })
    vi.spyOn(localStorage, 'setItem').mockImplementation(() => {
      throw new Error('full')
    })
    keepPublishDraft('ada', 'one', { subject: 'Fix it' })
    expect(publishDraftOf('ada', 'one')).toEqual({ subject: 'Fix it' })
  })

  it('leaves what another window has stored once the storage takes something again', () => {
    vi.spyOn(localStorage, 'setItem').mockImplementationOnce(() => {
      throw new Error('full')
    })
    keepPublishDraft('ada', 'one', { subject: 'Fix' })
    const drafts = [['two', { branch: 'of the other window' }]]
    localStorage.setItem('slipway-publish', JSON.stringify({ userId: 'ada', drafts }))
    keepPublishDraft('ada', 'one', { subject: 'Fix it' })
    expect(publishDraftOf('ada', 'two')).toEqual({ branch: 'of the other window' })
    expect(publishDraftOf('ada', 'one')).toEqual({ subject: 'Fix it' })
  })

  it('is that of the last tasks', () => {
    for (let task = 0; task <= TASKS_MAX; task += 1) keepPublishDraft('ada', `${task}`, { subject: 'Fix' })
    expect(publishDraftOf('ada', '0')).toEqual({})
    expect(publishDraftOf('ada', '1')).toEqual({ subject: 'Fix' })
  })

  it('has only texts that this version knows', () => {
    const draft = { subject: 1, branch: 'b', other: 'x', body: 'y'.repeat(KEPT_TEXT_MAX + 1) }
    localStorage.setItem('slipway-publish', JSON.stringify({ userId: 'ada', drafts: [['one', draft], null] }))
    expect(publishDraftOf('ada', 'one')).toEqual({ branch: 'b' })
    localStorage.setItem('slipway-publish', '{')
    expect(publishDraftOf('ada', 'one')).toEqual({})
  })
})

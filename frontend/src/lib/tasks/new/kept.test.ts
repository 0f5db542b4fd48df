import { AGENT_POLICIES } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { EMPTY_DRAFT } from './draft.ts'
import {
  DRAFTS_MAX,
  draftOf,
  dropSent,
  forgetTasks,
  isMoreOpen,
  KEPT_PROMPT_MAX,
  keepDraft,
  keepMoreOpen,
  keepStarted,
  lastAgent,
  PROMPTS_MAX,
  promptsOf,
} from './kept.ts'

let items = new Map<string, string>()

beforeEach(() => {
  items = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  })
})
afterEach(() => {
  forgetTasks()
  vi.unstubAllGlobals()
})

const draft = (prompt: string) => ({ ...EMPTY_DRAFT, prompt })

it('each agent has its own draft, and the oldest of too many is dropped', () => {
  for (let at = 0; at <= DRAFTS_MAX; at += 1) keepDraft('me', `agent-${at}`, draft(`prompt ${at}`))
  expect(draftOf('me', 'agent-0')).toBeNull()
  expect(draftOf('me', 'agent-1')).toEqual(draft('prompt 1'))
})

it('an empty draft takes no place among the drafts, and removes the one that it empties', () => {
  keepDraft('me', 'atlas', draft('kept'))
  for (let at = 0; at <= DRAFTS_MAX; at += 1) {
    keepDraft('me', `conversation#${at}`, draft('sent'))
    keepDraft('me', `conversation#${at}`, draft(''))
  }
  expect([draftOf('me', 'atlas'), draftOf('me', 'conversation#0')]).toEqual([draft('kept'), null])
})

it('a draft without a prompt keeps the other fields that were chosen', () => {
  const chosen = { ...draft(''), model: 'large' }
  keepDraft('me', 'atlas', chosen)
  expect(draftOf('me', 'atlas')).toEqual(chosen)
})

it.each(AGENT_POLICIES)('the policy %s that was chosen for a task is there again with its prompt', (policy) => {
  keepDraft('me', 'atlas', { ...draft('Fix it'), policy })
  expect(draftOf('me', 'atlas')).toEqual({ ...draft('Fix it'), policy })
})

it('a template that was chosen is there again with its fields, and leaves with its prompt', () => {
  const template = { id: 't', name: 'Fix', prompt: 'Fix {{ticket}}', values: { ticket: '7' }, before: 'Mine' }
  keepDraft('me', 'atlas', { ...draft('Fix 7'), template })
  expect(draftOf('me', 'atlas')?.template).toEqual(template)
  dropSent('me', 'atlas', 'Fix 7')
  expect(draftOf('me', 'atlas')).toBeNull()
})

it('a prompt that was sent leaves its draft, and one that was changed since stays', () => {
  keepDraft('me', 'atlas', { ...draft('Fix it'), model: 'large' })
  dropSent('me', 'atlas', 'Fix')
  expect(draftOf('me', 'atlas')?.prompt).toBe('Fix it')
  dropSent('me', 'atlas', 'Fix it')
  expect(draftOf('me', 'atlas')).toEqual({ ...draft(''), model: 'large' })
  dropSent('me', 'other', 'Fix it')
  expect(draftOf('me', 'other')).toBeNull()
})

it('another user reads nothing of it, and neither does the next one after a sign-out', () => {
  keepDraft('me', 'atlas', draft('mine'))
  keepStarted('me', 'atlas', 'started')
  expect([draftOf('you', 'atlas'), promptsOf('you'), lastAgent('you')]).toEqual([null, [], null])
  expect(lastAgent('me')).toBe('atlas')
  forgetTasks()
  expect([draftOf('me', 'atlas'), promptsOf('me'), items.size]).toEqual([null, [], 0])
})

it('the history has each prompt once, the newest first, and so many at most', () => {
  for (let at = 0; at <= PROMPTS_MAX; at += 1) keepStarted('me', 'atlas', `prompt ${at}`)
  keepStarted('me', 'atlas', 'prompt 5')
  const prompts = promptsOf('me')
  expect([prompts.length, prompts[0], prompts.filter((one) => one === 'prompt 5').length]).toEqual([
    PROMPTS_MAX,
    'prompt 5',
    1,
  ])
})

it('a very long prompt stays in the page, and not in the browser', () => {
  const long = 'x'.repeat(KEPT_PROMPT_MAX + 1)
  keepDraft('me', 'atlas', draft(long))
  keepMoreOpen('me', true)
  expect(draftOf('me', 'atlas')?.prompt).toBe(long)
  expect(items.get('slipway-new-task')).not.toContain('xxx')
})

it('what the browser has is not believed to be of this version', () => {
  items.set(
    'slipway-new-task',
    JSON.stringify({
      userId: 'me',
      drafts: [['a', { prompt: 4, queue: 1, template: { id: 'a', values: 3 } }], 3],
      prompts: [7],
    }),
  )
  expect([draftOf('me', 'a'), promptsOf('me'), isMoreOpen('me')]).toEqual([EMPTY_DRAFT, [], false])
})

it('a browser without storage keeps it as long as the page', () => {
  vi.stubGlobal('localStorage', undefined)
  keepDraft('me', 'atlas', draft('kept'))
  expect(draftOf('me', 'atlas')).toEqual(draft('kept'))
})

it('what a full storage does not take is as the page has it, and not as it was stored before', () => {
  keepDraft('me', 'atlas', draft('before'))
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  })
  keepDraft('me', 'atlas', draft('now'))
  expect(draftOf('me', 'atlas')).toEqual(draft('now'))
  expect(draftOf('you', 'atlas')).toBeNull()
})

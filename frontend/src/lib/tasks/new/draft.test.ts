import { describe, expect, it } from 'vitest'
import { bodyOf, draftOfTask, EMPTY_DRAFT, folderOf, problemsOf } from './draft.ts'
import { completed, mentionAt, offered } from './mention.ts'
import { withoutPath, withPath } from './picture.ts'

describe('the folder of a task', () => {
  it.each([
    ['', null],
    ['~', null],
    ['~/', null],
    [' ~/project/ ', 'project'],
    ['project/src', 'project/src'],
    ['/home/developer/x', '/home/developer/x'],
    ['/', '/'],
    ['~user', '~user'],
  ])('%j is sent as %j', (text, sent) => expect(folderOf(text)).toBe(sent))
})

describe('a draft', () => {
  it('sends only what differs from the defaults', () => {
    const draft = { ...EMPTY_DRAFT, provider: 'codex', prompt: 'Work' }
    expect(bodyOf('atlas', draft)).toEqual({ agent: 'atlas', prompt: 'Work', provider: 'codex' })
    expect(bodyOf('atlas', { ...draft, policy: 'tiers' })).toMatchObject({ policy: 'tiers' })
    const work = { worktree: 'always', validate: true } as const
    expect(bodyOf('atlas', { ...draft, ...work })).toMatchObject(work)
    const more = {
      ...draft,
      model: ' gpt-5 ',
      timeoutMinutes: 1.5,
      waitForLimit: false,
      queue: true,
      maxTurns: 3,
      gateRepairs: 0,
    }
    expect(bodyOf('atlas', more)).toEqual({
      ...{ agent: 'atlas', prompt: 'Work', provider: 'codex', model: 'gpt-5', timeout_seconds: 90 },
      ...{ wait_for_limit: false, queue: true, max_turns: 3, gate: { repairs: 0 } },
    })
  })

  it('leaves folder and provider to the task that it continues', () => {
    const draft = { ...EMPTY_DRAFT, provider: 'codex', prompt: 'Go on', cwd: '~/app', worktree: 'off' } as const
    expect(bodyOf('atlas', draft, 'id')).toEqual({ agent: 'atlas', prompt: 'Go on', resume: 'id' })
  })

  it('sends in a terminal only what applies there', () => {
    const limits = {
      maxTurns: 3,
      maxBudgetUsd: 1,
      queue: true,
      gateRepairs: 2,
      waitForLimit: false,
      policy: 'ask',
      timeoutMinutes: 2,
    }
    const draft = { ...EMPTY_DRAFT, ...limits, mode: 'interactive', policy: 'ask', provider: 'codex' } as const
    expect(bodyOf('atlas', draft)).toEqual({
      ...{ agent: 'atlas', mode: 'interactive', provider: 'codex', timeout_seconds: 120 },
    })
    expect(bodyOf('atlas', { ...draft, prompt: 'Work' })).toMatchObject({ prompt: 'Work' })
    expect(problemsOf(draft)).toEqual({})
    expect(Object.keys(problemsOf({ ...draft, provider: 'custom:aider' }))).toEqual(['provider'])
  })

  it('repeats a task with its folder as users write it', () => {
    const fields = { provider: 'codex', prompt: 'Work', model: null, policy: null } as const
    const auto = draftOfTask({ ...fields, mode: 'pty', cwd: '/home/developer/app' })
    expect(auto).toEqual({
      ...{ mode: 'auto', policy: null, provider: 'codex', prompt: 'Work', cwd: '~/app', model: '' },
    })
    expect(draftOfTask({ ...fields, policy: 'ask', mode: 'auto', cwd: '/' }).policy).toBe('ask')
    expect(draftOfTask({ ...fields, mode: 'interactive', cwd: '/home/developer' })).toMatchObject({
      ...{ mode: 'interactive', cwd: '~' },
    })
  })

  it('says at once what is missing', () => {
    expect(Object.keys(problemsOf({ ...EMPTY_DRAFT, prompt: ' \n', model: '-x' }))).toEqual([
      'provider',
      'prompt',
      'model',
    ])
  })
})

describe('a mention', () => {
  it.each([
    ['look at @', { at: 8, folder: '', begin: '' }],
    ['@src/ma', { at: 0, folder: 'src/', begin: 'ma' }],
    ['(@a', { at: 1, folder: '', begin: 'a' }],
    ['me@example.org', null],
    ['@done and', null],
  ])('in %j is %j', (text, mention) => expect(mentionAt(text, text.length)).toEqual(mention))

  it('offers hidden names only after a dot', () => {
    const names = ['.git', 'Main.ts', 'main.css'].map((name) => ({ name }))
    expect(offered(names, 'ma').map(({ name }) => name)).toEqual(['Main.ts', 'main.css'])
    expect(offered(names, '').length).toBe(2)
    expect(offered(names, '.')).toEqual([{ name: '.git' }])
  })

  it('is completed where it is, and goes on in a folder', () => {
    const mention = { at: 3, folder: 'src/', begin: 'm' }
    expect(completed('in @src/m now', 9, mention, { name: 'main.ts', kind: 'file' })).toEqual({
      text: 'in @src/main.ts now',
      caret: 16,
    })
    expect(completed('in @src/m', 9, mention, { name: 'my', kind: 'folder' })).toEqual({
      text: 'in @src/my/',
      caret: 11,
    })
  })
})

describe('the path of a picture', () => {
  it.each([
    ['', 0, '/p.png ', 7],
    ['look', 4, 'look /p.png ', 12],
    ['see here now', 8, 'see here /p.png now', 15],
    ['see\nnow', 4, 'see\n/p.png now', 11],
  ])('in %j at %i makes %j', (prompt, at, text, caret) => {
    expect(withPath(prompt, at, '/p.png')).toEqual({ text, caret })
  })

  it('is removed with its space, each time that it is there', () => {
    expect(withoutPath('see /p.png now, /p.png', '/p.png')).toBe('see now, ')
    expect(withoutPath('see /p.png, and', '/p.png')).toBe('see , and')
  })
})

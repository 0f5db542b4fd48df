import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { linesOf } from './patch.ts'
import {
  COMMENTS_MAX,
  commentsOf,
  type DiffComment,
  forgetComments,
  keepComments,
  lastLineOf,
  placeOf,
  promptOf,
  quotedIn,
  QUOTED_MAX,
  TASKS_MAX,
} from './comments.ts'

const PATCH = '@@ -4,3 +4,3 @@\n same\n-old\n-older\n+new\n+newer\n@@ -20 +20,2 @@\n same\n+```\n'
const lines = linesOf(PATCH)
const on = (from: number, to: number, text = 'Why?'): DiffComment => {
  const place = placeOf(lines, from, to)
  if (place === null) throw new Error('no line')
  return { id: `${from}-${to}`, path: 'a.ts', ...place, text }
}

describe('a comment', () => {
  it('quotes its lines with their marks, and has their numbers after the change', () => {
    expect(on(1, 4)).toMatchObject({ from: 4, to: 5, isBefore: false, quote: [' same', '-old', '-older', '+new'] })
    expect(on(2, 3)).toMatchObject({ from: 5, to: 6, isBefore: true, quote: ['-old', '-older'] })
    expect(placeOf(lines, 0, 0)).toBeNull()
  })

  it('is about a limited number of lines', () => {
    const many = linesOf(`@@ -0,0 +1,200 @@\n${'+x\n'.repeat(200)}`)
    expect(placeOf(many, 1, 200)).toMatchObject({ from: 1, to: QUOTED_MAX })
  })

  it('is found below its last line again, but not once the lines are others', () => {
    for (const [from, to] of [
      [1, 4],
      [2, 3],
      [7, 8],
    ] as const)
      expect(lastLineOf(lines, on(from, to))).toBe(to)
    expect(lastLineOf(linesOf(PATCH.replace('+new\n', '+other\n')), on(1, 4))).toBeNull()
    expect(lastLineOf(linesOf(PATCH.replace('@@ -20 +20,2', '@@ -21 +21,2')), on(7, 8))).toBeNull()
  })

  it('is quoted in the prompt with its path and lines, in a fence that its lines cannot close', () => {
    expect(promptOf([on(2, 2), on(7, 8, 'Close it.')])).toBe(
      [
        'I have 2 comments on the changes.',
        'a.ts:5 (removed)\n```diff\n-old\n```\nWhy?',
        'a.ts:20-21\n````diff\n same\n+```\n````\nClose it.',
      ].join('\n\n'),
    )
  })
})

describe('a comment is sent with a text', () => {
  const [first, second] = [on(2, 2), on(7, 8, 'Close it.\r\nAll of it. ')]
  const text = promptOf([first, second])

  it('that quotes it, in a field with its own ends of lines', () => {
    expect(quotedIn([first, second], text)).toEqual([first, second])
    const inField = `Please:\n\n${text.replaceAll('\r', '').trim()}`
    expect(quotedIn([first, second], inField)).toEqual([first, second])
  })

  it('also if the user has changed its words there', () => {
    expect(quotedIn([first, second], text.replace('Close', 'Open'))).toEqual([first, second])
  })

  it('but not with one that leaves it out, also if another comment is about the same lines', () => {
    expect(quotedIn([first, second], promptOf([first]))).toEqual([first])
    expect(quotedIn([first], '')).toEqual([])
    const other = { ...first, id: 'other', text: 'Something else.' }
    expect(quotedIn([other, first], promptOf([first]))).toEqual([first])
  })
})

describe('the comments of a user', () => {
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
    forgetComments()
    vi.unstubAllGlobals()
  })

  it('are kept by task, for this user alone, until the user signs out', () => {
    keepComments('u', 'task', [on(1, 1)])
    expect(commentsOf('u', 'task')).toEqual([on(1, 1)])
    expect([commentsOf('u', 'other'), commentsOf('v', 'task')]).toEqual([[], []])
    forgetComments()
    expect(commentsOf('u', 'task')).toEqual([])
  })

  it('stay in the page where the storage is full', () => {
    keepComments('u', 'task', [on(1, 1)])
    vi.spyOn(localStorage, 'setItem').mockImplementation(() => {
      throw new Error('full')
    })
    keepComments('u', 'task', [on(1, 1), on(1, 4)])
    expect(commentsOf('u', 'task')).toEqual([on(1, 1), on(1, 4)])
  })

  it('leave what another window has stored once the storage takes something again', () => {
    vi.spyOn(localStorage, 'setItem').mockImplementationOnce(() => {
      throw new Error('full')
    })
    keepComments('u', 'task', [on(1, 1)])
    items.set('slipway-diff-comments', JSON.stringify({ userId: 'u', tasks: [['other', [on(1, 2)]]] }))
    keepComments('u', 'task', [on(1, 1), on(1, 4)])
    expect([commentsOf('u', 'other'), commentsOf('u', 'task')]).toEqual([[on(1, 2)], [on(1, 1), on(1, 4)]])
  })

  it('are at most so many, of so many tasks', () => {
    for (let task = 0; task <= TASKS_MAX; task += 1)
      keepComments('u', `${task}`, Array<DiffComment>(COMMENTS_MAX + 1).fill(on(1, 1)))
    expect(commentsOf('u', '0')).toEqual([])
    expect(commentsOf('u', `${TASKS_MAX}`)).toHaveLength(COMMENTS_MAX)
  })

  it('are none where the storage holds something else', () => {
    for (const text of ['{', '3', '{"userId":"u","tasks":[["task",[{"id":1}]],7]}']) {
      items.set('slipway-diff-comments', text)
      expect(commentsOf('u', 'task')).toEqual([])
    }
  })
})

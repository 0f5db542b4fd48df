import type { Entry, NoteEntry, StepEntry } from '@/lib/tasks/transcript/entries.ts'
import { describe, expect, it } from 'vitest'
import { partsOf, stepsWords } from './parts.ts'

const AT = '2026-11-26T12:00:00.000Z'
const text = (id: number): Entry => ({ kind: 'text', id, at: AT, text: 'Hello', isAnswer: false })
const thought = (id: number): Entry => ({ kind: 'thinking', id, at: AT, text: 'Hm', isAnswer: false })
const note = (id: number, tone: NoteEntry['tone']): Entry => ({
  ...{ kind: 'note', id, at: AT, tone, text: 'Started', resetsAt: null, wait: null },
})
const step = (id: number, state: StepEntry['state'] = 'done', isRefused = false): Entry => ({
  ...{ kind: 'step', id, at: AT, callId: null, name: 'Read', object: '', input: null, edit: null, command: null },
  ...{ changes: [], result: null, isAsked: false, isRefused, state, endedAt: null },
})
const plan = (id: number, isLatest: boolean): Entry => ({ kind: 'plan', id, at: AT, items: [], isLatest })
const shapesOf = (entries: readonly Entry[]) =>
  partsOf(entries).map((part) => (part.kind === 'row' ? part.entry.id : part.entries.map(({ id }) => id)))

describe('a turn', () => {
  it('has its answers in sight, and the steps between them folded', () => {
    const rows = [note(1, 'quiet'), text(2), step(3), thought(4), note(5, 'quiet'), text(6)]
    expect(shapesOf(rows)).toEqual([2, [3, 4, 5], 6])
  })

  it('has errors and its newest plan in sight', () => {
    expect(shapesOf([plan(1, false), step(2), plan(3, true), note(4, 'error')])).toEqual([[1, 2], 3, 4])
  })

  it('says how many steps are folded, and how many failed', () => {
    expect(stepsWords([step(1)])).toBe('1 step')
    expect(stepsWords([step(1), step(2, 'failed'), step(3, 'failed', true), thought(4)])).toBe('3 steps, 1 failed')
    expect([stepsWords([thought(1)]), stepsWords([plan(1, false)])]).toEqual(['Thoughts', 'Plans'])
  })
})

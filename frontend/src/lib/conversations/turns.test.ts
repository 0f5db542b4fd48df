import type { ConversationTurn } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { withEarlier, withLatest } from './turns.ts'

const turn = (seq: number, text = String(seq)): ConversationTurn => ({
  message: {
    ...{ id: `m${seq}`, seq, text, state: 'sent', runId: null, error: null, answer: null, userId: 'u', via: 'web' },
    createdAt: '2026-11-26T12:00:00.000Z',
  },
  run: null,
})
const page = (seqs: readonly number[], before: number | null = null) => ({
  items: seqs.map((seq) => turn(seq)),
  before,
})
const seqsOf = ({ items }: { items: readonly ConversationTurn[] }): number[] => items.map(({ message }) => message.seq)

describe('the loaded turns of a conversation', () => {
  it('take the latest page in, with its newer facts', () => {
    const next = withLatest(page([3, 4], 3), { items: [turn(4, 'new'), turn(5)], before: 4 })
    expect(seqsOf(next)).toEqual([3, 4, 5])
    expect(next.items[1]?.message.text).toBe('new')
    expect(next.before).toBe(3)
  })

  it('are only the latest page where turns between are missing', () => {
    expect(withLatest(page([1, 2]), page([8, 9], 8))).toEqual(page([8, 9], 8))
  })

  it('have none before once a page begins with the first one', () => {
    expect(withLatest(page([2, 3], 2), page([1, 2, 3])).before).toBeNull()
  })

  it('take earlier ones in front, each once', () => {
    const all = withEarlier(page([3, 4], 3), page([1, 2, 3]))
    expect([seqsOf(all), all.before]).toEqual([[1, 2, 3, 4], null])
  })
})

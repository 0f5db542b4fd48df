import type { Conversation } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { conversationFiltersIn, isListed, type LoadedConversations, withChange, withFirst, withNext } from './pages.ts'

const one = (id: string, at: number, title = id): Conversation =>
  ({ id, title, lastActivityAt: new Date(Date.UTC(2026, 10, at)).toISOString() }) as Conversation
const list = (cursor: string | null, ...items: Conversation[]): LoadedConversations => ({ items, cursor })
const page = (nextCursor: string | null, ...items: Conversation[]) => ({ items, nextCursor })
const shown = ({ items, cursor }: LoadedConversations) => [...items.map(({ title }) => title), cursor]

const USER = '0193a7b2-0000-7000-8000-000000000000'

describe('the conversations of a list', () => {
  it('are the reader’s own, or those that the address asks for in words of the server', () => {
    expect(conversationFiltersIn({ by: 'all', archived: 'true' })).toEqual({ by: 'all', archived: 'true' })
    expect(conversationFiltersIn({ by: USER, archived: 'yes' })).toEqual({ by: USER })
    expect(conversationFiltersIn({ by: 'ada' })).toEqual({})
    const theirs = { state: 'active', userId: USER } as const
    expect(isListed({}, theirs, 'me')).toBe(false)
    expect([isListed({}, theirs, USER), isListed({ by: USER }, theirs, 'me')]).toEqual([true, true])
    expect([isListed({ by: 'all' }, theirs, 'me'), isListed({ archived: 'true' }, theirs, USER)]).toEqual([true, false])
  })

  it('come page by page, and each one is there once, the newest first', () => {
    const first = withFirst(null, page('2', one('d', 4), one('c', 3)))
    expect(shown(first)).toEqual(['d', 'c', '2'])
    const moved = withChange(first, 'b', one('b', 5, 'b, now'))
    expect(shown(withNext(moved, page(null, one('b', 2), one('a', 1))))).toEqual(['b, now', 'd', 'c', 'a', null])
  })

  it('that were read again are as the page says as far as it reaches, and older ones stay', () => {
    const known = list('4', one('e', 5), one('d', 4), one('c', 3), one('b', 2))
    expect(shown(withFirst(known, page('2', one('f', 6), one('d', 4, 'd, now'))))).toEqual([
      'f',
      'd, now',
      'c',
      'b',
      '4',
    ])
    expect(shown(withFirst(known, page('2', one('b', 2))))).toEqual(['b', '2'])
    expect(shown(withFirst(known, page(null, one('d', 4))))).toEqual(['d', null])
  })

  it('leave the list when they are deleted or no longer match', () =>
    expect(shown(withChange(list('2', one('b', 2), one('a', 1)), 'b', null))).toEqual(['a', '2']))
})

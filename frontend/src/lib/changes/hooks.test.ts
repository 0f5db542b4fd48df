import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { forgetHooks, keepHooks, refusalFrom, REPOSITORIES_MAX, runsHooks } from './hooks.ts'

let stored = new Map<string, string>()
beforeEach(() => {
  stored = new Map()
  const getItem = (name: string): string | null => stored.get(name) ?? null
  const setItem = (name: string, text: string): void => void stored.set(name, text)
  const removeItem = (name: string): void => void stored.delete(name)
  vi.stubGlobal('localStorage', { getItem, setItem, removeItem })
  forgetHooks()
})
afterEach(() => vi.unstubAllGlobals())

it('the choice is of one user, agent and repository, and can be taken back', () => {
  expect(runsHooks('ada', 'one', 'app')).toBe(false)
  keepHooks('ada', 'one', 'app', true)
  keepHooks('ada', 'one', 'lib', true)
  expect([runsHooks('ada', 'one', 'app'), runsHooks('ada', 'two', 'app')]).toEqual([true, false])
  expect([runsHooks('bob', 'one', 'app'), runsHooks('ada', 'one', 'lib')]).toEqual([false, true])
  keepHooks('ada', 'one', 'app', false)
  expect([runsHooks('ada', 'one', 'app'), runsHooks('ada', 'one', 'lib')]).toEqual([false, true])
  forgetHooks()
  expect([runsHooks('ada', 'one', 'lib'), stored.size]).toEqual([false, 0])
})

it('the oldest choice is forgotten, and what another version has stored counts as none', () => {
  for (let at = 0; at <= REPOSITORIES_MAX; at += 1) keepHooks('ada', 'one', `r${at}`, true)
  expect([runsHooks('ada', 'one', 'r0'), runsHooks('ada', 'one', 'r1')]).toEqual([false, true])
  for (const odd of ['{', 'null', '{"userId":"bob","on":3}', '{"userId":"bob","on":[1,{}]}']) {
    stored.set('slipway-hooks', odd)
    expect(runsHooks('bob', 'one', 'r1')).toBe(false)
  }
})

it('a refusal is a sentence, and what was printed behind it', () => {
  expect(refusalFrom('Could not commit', 'Git failed.\nno ticket\n  at all')).toEqual({
    what: 'Could not commit',
    message: 'Git failed.',
    output: 'no ticket\n  at all',
  })
  expect(refusalFrom('Could not commit', 'Git failed.').output).toBe('')
})

import { describe, expect, test } from 'vitest'
import {
  activated,
  closed,
  freeName,
  labelsOf,
  ONE_TAB,
  opened,
  readLayout,
  renamed,
  shownTabs,
  type TabLayout,
  TITLE_MAX,
  withLive,
} from './tabs.ts'

const bash = (name: string) => ({ name, title: null, mode: 'bash' as const })
/** Three tabs, the newest of them active. */
const three = (hasRoom = true): TabLayout => opened(opened(ONE_TAB, bash('bash'), hasRoom), bash('bash-2'), hasRoom)
const names = ({ tabs }: TabLayout): string[] => tabs.map(({ name }) => name)

describe('the tabs of terminals', () => {
  test('begin with the terminal without a name', () => {
    expect([names(ONE_TAB), shownTabs(ONE_TAB, true)]).toEqual([[''], ['']])
  })

  test('stand side by side where two fit, and otherwise one is shown', () => {
    const two = opened(ONE_TAB, bash('bash'), true)
    expect([shownTabs(two, true), shownTabs(two, false)]).toEqual([['', 'bash'], ['bash']])
    expect(shownTabs(opened(ONE_TAB, bash('bash'), false), true)).toEqual(['bash'])
  })

  test('keep their order on the screen when the keys move between them', () => {
    const two = opened(ONE_TAB, bash('bash'), true)
    const back = activated(two, '')
    expect([back.active, shownTabs(back, true)]).toEqual(['', ['', 'bash']])
  })

  test('that are hidden take the place of the active one', () => {
    const layout = three()
    expect(shownTabs(layout, true)).toEqual(['bash', 'bash-2'])
    const other = activated(layout, '')
    expect([other.active, shownTabs(other, true)]).toEqual(['', ['', 'bash']])
  })

  test('give way to their neighbour when they are closed, and the last one to an empty first one', () => {
    const layout = closed(three(), 'bash-2')
    expect([names(layout), layout.active, shownTabs(layout, true)]).toEqual([['', 'bash'], 'bash', ['', 'bash']])
    expect(closed(closed(layout, 'bash'), '')).toEqual(ONE_TAB)
    expect(closed(layout, 'unknown')).toBe(layout)
  })

  test('get names that no other terminal of the user has', () => {
    expect(freeName(ONE_TAB, 'bash')).toBe('bash')
    expect(freeName(three(), 'bash', ['bash-3'])).toBe('bash-4')
  })

  test('have their program as their label, or the title that the user gave', () => {
    const titled = renamed(three(), 'bash-2', '  tests\u202e \n')
    const labels = labelsOf(titled.tabs, ({ mode }) => (mode === 'bash' ? 'Bash' : 'Claude Code'))
    expect([...labels.values()]).toEqual(['Claude Code', 'Bash', 'tests'])
    expect([...labelsOf(three().tabs, () => 'Bash').values()]).toEqual(['Bash', 'Bash 2', 'Bash 3'])
    expect(renamed(titled, 'bash-2', ' ').tabs.at(-1)?.title).toBeNull()
    expect(renamed(titled, 'bash-2', '🦀'.repeat(100)).tabs.at(-1)?.title).toBe('🦀'.repeat(TITLE_MAX))
  })

  test('show terminals of the user from other devices, the one without a name first', () => {
    const alone = closed(opened(ONE_TAB, bash('bash'), false), '')
    const all = withLive(alone, [
      { name: '', mode: 'cli' },
      { name: 'bash', mode: 'bash' },
      { name: 'far', mode: 'bash' },
    ])
    expect([names(all), all.active]).toEqual([['', 'bash', 'far'], 'bash'])
    expect(withLive(all, [{ name: 'far', mode: 'bash' }])).toBe(all)
  })

  test('are kept over a reload', () => {
    const layout = renamed(three(), 'bash', 'git')
    expect(readLayout(JSON.parse(JSON.stringify(layout)))).toEqual(layout)
  })

  test.each([
    null,
    3,
    'a',
    {},
    { tabs: 'a' },
    { tabs: [] },
    { tabs: [null, 3, { name: 3 }, { name: '../x' }, { name: 'a b' }] },
  ])('are the first one alone where %j is stored', (stored) => {
    expect(readLayout(stored)).toEqual(ONE_TAB)
  })

  test('that are stored and invalid are left out, and there are eight at most', () => {
    const stored = { tabs: [{ name: 'a', title: 7, mode: 'x' }, { name: '!' }], active: 'b', isSplit: 1, beside: '!' }
    expect(readLayout(stored)).toEqual({
      tabs: [{ name: 'a', title: null, mode: 'cli' }],
      active: 'a',
      isSplit: false,
      beside: null,
    })
    const many = { tabs: Array.from({ length: 100 }, (_, at) => ({ name: `t${at}` })) }
    expect(readLayout(many).tabs).toHaveLength(8)
  })
})

/** The terminals of a user in one agent, as a page shows them: in tabs, two of them side by side if there is room. */
import { TAB_PATTERN, TERMINALS_PER_USER_MAX } from '@slipway/protocol'
import type { SelectedMode } from '../session/modes.ts'

/** Longest title that a user may give a tab, in characters. */
export const TITLE_MAX = 40

export interface TerminalTab {
  /** Its name in the protocol, which stays. The first terminal of a user has none: ''. */
  readonly name: string
  /** What the user calls it. Null: its program's label. */
  readonly title: string | null
  /** What it starts, if nothing runs in it. */
  readonly mode: SelectedMode
}

export interface TabLayout {
  /** One at least. */
  readonly tabs: readonly TerminalTab[]
  /** Name of the tab that has the controls and the keys. */
  readonly active: string
  /** Whether a second one is shown beside it. */
  readonly isSplit: boolean
  /** Name of the second one. Null: the nearest one. */
  readonly beside: string | null
}

const FIRST: TerminalTab = { name: '', title: null, mode: 'cli' }
export const ONE_TAB: TabLayout = { tabs: [FIRST], active: '', isSplit: false, beside: null }

/** The names of the tabs on the screen, in the order of the tabs. `hasRoom`: two fit side by side. */
export function shownTabs({ tabs, active, isSplit, beside }: TabLayout, hasRoom: boolean): string[] {
  const names = tabs.map(({ name }) => name)
  if (!isSplit || !hasRoom || names.length < 2) return [active]
  const at = names.indexOf(active)
  const second = beside !== null && beside !== active && names.includes(beside) ? beside : names[at === 0 ? 1 : at - 1]
  return names.filter((name) => name === active || name === second)
}

/** Makes a tab the active one. If both shown tabs stay, the earlier one is the second one. */
export function activated(layout: TabLayout, name: string): TabLayout {
  const { tabs, active } = layout
  if (name === active || !tabs.some((tab) => tab.name === name)) return layout
  const shown = shownTabs(layout, true)
  const stays = shown.includes(name) ? active : (shown.find((one) => one !== active) ?? active)
  return { ...layout, active: name, beside: stays }
}

/** The first free name for a tab that starts a program. `taken` are names that the server has besides. */
export function freeName({ tabs }: TabLayout, mode: SelectedMode, taken: readonly string[] = []): string {
  const all = new Set([...tabs.map(({ name }) => name), ...taken])
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? mode : `${mode}-${number}`
    if (!all.has(name)) return name
  }
}

/** Adds a tab and makes it active. If two fit, the one that was active stays beside it. */
export function opened(layout: TabLayout, tab: TerminalTab, hasRoom: boolean): TabLayout {
  const { active, isSplit } = layout
  const tabs = [...layout.tabs, tab].slice(-TERMINALS_PER_USER_MAX)
  return { tabs, active: tab.name, isSplit: isSplit || hasRoom, beside: active }
}

/** Removes a tab. The last one gives way to the first terminal, without a program. */
export function closed(layout: TabLayout, name: string): TabLayout {
  const at = layout.tabs.findIndex((tab) => tab.name === name)
  if (at < 0) return layout
  const tabs = layout.tabs.filter((tab) => tab.name !== name)
  const next = tabs[Math.min(at, tabs.length - 1)]
  if (next === undefined) return ONE_TAB
  const beside = layout.beside === name ? null : layout.beside
  if (layout.active !== name) return { ...layout, tabs, beside }
  const stays = tabs.find((tab) => tab.name === beside) ?? next
  return { ...layout, tabs, active: stays.name, beside: null }
}

/** Names a tab; an empty title takes the name away. */
export function renamed(layout: TabLayout, name: string, title: string): TabLayout {
  const given = cleanTitle(title)
  return { ...layout, tabs: layout.tabs.map((tab) => (tab.name === name ? { ...tab, title: given } : tab)) }
}

/** Adds the tabs of terminals that the user has and this page does not know, for example from another device. */
export function withLive(layout: TabLayout, live: readonly Pick<TerminalTab, 'name' | 'mode'>[]): TabLayout {
  const missing = live.filter(({ name }) => !layout.tabs.some((tab) => tab.name === name))
  if (missing.length === 0) return layout
  const added = missing.map(({ name, mode }) => ({ name, mode, title: null }))
  // The terminal without a name is the first one.
  const tabs = [...added.filter(({ name }) => name === ''), ...layout.tabs, ...added.filter(({ name }) => name !== '')]
  return { ...layout, tabs: tabs.slice(0, TERMINALS_PER_USER_MAX) }
}

/** The labels of the tabs: their titles, or their programs, with a number from the second one on. */
export function labelsOf(
  tabs: readonly TerminalTab[],
  programOf: (tab: TerminalTab) => string,
): ReadonlyMap<string, string> {
  const seen = new Map<string, number>()
  return new Map(
    tabs.map((tab) => {
      if (tab.title !== null) return [tab.name, tab.title]
      const program = programOf(tab)
      const count = (seen.get(program) ?? 0) + 1
      seen.set(program, count)
      return [tab.name, count === 1 ? program : `${program} ${count}`]
    }),
  )
}

/** Without control characters, and without those that change the direction of text. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const cleanTitle = (title: string): string | null =>
  Array.from(title.replaceAll(HIDDEN, '').trim()).slice(0, TITLE_MAX).join('') || null

const NAME = new RegExp(TAB_PATTERN)

/** A layout that an earlier page stored. What is invalid is left out. */
export function readLayout(stored: unknown): TabLayout {
  const { tabs, active, isSplit, beside } = (stored ?? {}) as Record<string, unknown>
  const known = new Map<string, TerminalTab>()
  for (const one of Array.isArray(tabs) ? tabs.slice(0, TERMINALS_PER_USER_MAX) : []) {
    const { name, title, mode } = (one ?? {}) as Record<string, unknown>
    if (typeof name !== 'string' || (name !== '' && !NAME.test(name))) continue
    const given = typeof title === 'string' ? cleanTitle(title) : null
    known.set(name, { name, title: given, mode: mode === 'bash' ? 'bash' : 'cli' })
  }
  const [first] = known.values()
  if (first === undefined) return ONE_TAB
  const isKnown = (name: unknown): name is string => typeof name === 'string' && known.has(name)
  return {
    tabs: [...known.values()],
    active: isKnown(active) ? active : first.name,
    isSplit: isSplit === true,
    beside: isKnown(beside) ? beside : null,
  }
}

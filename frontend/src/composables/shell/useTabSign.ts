import { computed, onScopeDispose, watchEffect } from 'vue'
import { useRoute } from 'vue-router'
import { SYSTEM_KEY } from '@/api/agents/agents.ts'
import { SHAPE_SIGN, shapeOf, stateWord, type Shape } from '@/lib/agents/agentState.ts'
import { keyOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { useShellStore } from '@/stores/shell/shell.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'

const MARK = '/favicon.svg'
/** Longest text of a program in the tab's title, in characters, because tabs are narrow. */
const SAID_MAX = 60

const SHAPE_SVG: Record<Shape, string> = {
  running: '<circle cx="16" cy="16" r="11" fill="#10b981"/>',
  starting: '<circle cx="16" cy="16" r="10" fill="none" stroke="#38bdf8" stroke-width="6" stroke-dasharray="44 19"/>',
  stopped: '<circle cx="16" cy="16" r="10" fill="none" stroke="#8b8b95" stroke-width="5"/>',
  failed: '<rect x="5" y="5" width="22" height="22" rx="2" fill="#ef4444"/>',
  'needs-you': '<rect x="7" y="7" width="18" height="18" rx="2" fill="#f59e0b" transform="rotate(45 16 16)"/>',
}

const asIcon = (svg: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${svg}</svg>`)}`
const iconOf = (shape: Shape): string => asIcon(SHAPE_SVG[shape])
/** The mark of "needs you" with a number. There is room for one digit. */
const iconOfNumber = (number: number): string =>
  asIcon(
    `<rect x="5" y="5" width="22" height="22" rx="3" fill="#f59e0b" transform="rotate(45 16 16)"/><text x="16" y="22.5" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="19">${number > 9 ? '+' : number}</text>`,
  )

/**
 * Shows the agent and its state in the browser tab's title and icon, and before them how many questions and terminals need the user.
 */
export function useTabSign(): void {
  const route = useRoute()
  const agents = useAgentsStore()
  const agent = computed(() => {
    if (route.meta.agent === undefined) return null
    return agents.find(route.meta.agent === 'system' ? SYSTEM_KEY : String(route.params['name']))
  })
  const shell = useShellStore()
  const dialogs = useDialogsStore()
  const terminals = useTerminalsStore()
  /** The agent that wants attention: the open page's own first, then any other. */
  const asking = computed(() => {
    const own = agent.value === null ? null : keyOf(agent.value)
    const all = [...terminals.attentions].sort(([a], [b]) => Number(b === own) - Number(a === own))
    const [key, attention] = all[0] ?? []
    if (key === undefined || attention === undefined) return null
    return { name: agents.find(key)?.name ?? key, said: attention.text.slice(0, SAID_MAX) }
  })
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')

  const sign = computed((): { title: string | null; icon: string } => {
    if (asking.value !== null) {
      const { name, said } = asking.value
      return { title: `${SHAPE_SIGN['needs-you']} ${name} ${said}`, icon: iconOf('needs-you') }
    }
    if (agent.value === null) return { title: shell.pageTitle ?? route.meta.title ?? null, icon: MARK }
    const { name } = agent.value
    const shape = shapeOf(agent.value.state)
    return { title: `${SHAPE_SIGN[shape]} ${name} (${stateWord(agent.value).toLowerCase()})`, icon: iconOf(shape) }
  })

  watchEffect(() => {
    const needed = dialogs.count
    const { title, icon } = sign.value
    document.title = `${needed > 0 ? `(${needed}) ` : ''}${title === null ? '' : `${title} · `}Slipway`
    if (link !== null) link.href = needed > 0 ? iconOfNumber(needed) : icon
  })
  onScopeDispose(() => {
    document.title = 'Slipway'
    if (link !== null) link.href = MARK
  })
}

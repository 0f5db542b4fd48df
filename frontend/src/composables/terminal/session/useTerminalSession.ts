import { ref } from 'vue'
import { useRoute } from 'vue-router'
import { accessToken } from '@/api/identity/auth.ts'
import { terminalUrl } from '@/api/sessions/sockets.ts'
import { randomId } from '@/lib/browser/randomId.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import { explainEnd, explainRunsOn } from '@/terminal/session/ends.ts'
import { introduceOwner } from '@/terminal/session/hello.ts'
import { selectedModeOf, type SelectedMode } from '@/terminal/session/modes.ts'
import { useTerminalLink, type SessionListeners } from './useTerminalLink.ts'

/** What a tab of its own is opened for. */
export interface TabOrder {
  /** Its name. */
  readonly name: string
  /** What it starts. */
  readonly mode: SelectedMode
  /** The task whose conversation it continues; null: none. */
  readonly task: string | null
  /** The folder in which it starts; null: the home. */
  readonly folder: string | null
}

export interface UseTerminalSessionOptions extends SessionListeners {
  agentKey: () => string
  /** Absent: it is the terminal without a name, for which the page's address decides. */
  order?: TabOrder
  /** Whether the page shows this agent, so that its query is about this terminal. */
  visible: () => boolean
  runtime: () => string
  model: () => string
}

/** A user's own session with an agent. */
export function useTerminalSession(options: UseTerminalSessionOptions) {
  const providers = useProvidersStore()
  const client = randomId()
  const route = useRoute()
  /** An address can ask for a shell, for example in the folder of a worktree. */
  const asksForShell = options.order === undefined && options.visible() && route.query['mode'] === 'bash'
  const asked = options.order?.mode ?? (asksForShell ? 'bash' : 'cli')
  const selectedMode = ref<SelectedMode>(asked === 'bash' ? selectedModeOf('bash', options.runtime()) : 'cli')
  /** Label of the program of this session. The mode switch may have changed since. */
  let program = ''
  let isReturn = false

  const nameProgram = (): void => {
    program = providers.modeLabel(selectedMode.value, options.runtime())
  }

  const wanted = (): { task: string | null; folder: string | null } => {
    if (options.order !== undefined) return options.order
    const { task, folder } = options.visible() ? route.query : {}
    return { task: typeof task === 'string' ? task : null, folder: typeof folder === 'string' ? folder : null }
  }

  const link = useTerminalLink({
    ...options,
    to: (takeover) => {
      nameProgram()
      const model = selectedMode.value === 'cli' ? options.model() : ''
      const mode = providers.queryMode(selectedMode.value, options.runtime())
      const { task, folder } = wanted()
      const of = { task: selectedMode.value === 'cli' ? task : null, folder, tab: options.order?.name ?? null }
      const query = { mode, model: model || null, ...of }
      return {
        url: terminalUrl(options.agentKey(), query),
        introduce: introduceOwner({ token: accessToken, client, takeover }),
        isGuest: false,
      }
    },
    learn: ({ mode, resumed }) => {
      isReturn = resumed
      if (mode !== null) selectedMode.value = selectedModeOf(mode, options.runtime())
      nameProgram()
    },
    explain: (end, runsOn) => (runsOn ? explainRunsOn(program) : explainEnd(end, program)),
  })

  return {
    ...link,
    selectedMode,
    /** Whether the connected program was already running before this page connected. */
    isReturn: () => isReturn,
  }
}

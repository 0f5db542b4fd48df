import { ref } from 'vue'
import { useRoute } from 'vue-router'
import { accessToken } from '@/api/auth.ts'
import { terminalUrl } from '@/api/sockets.ts'
import { randomId } from '@/lib/browser/randomId.ts'
import { useProvidersStore } from '@/stores/providers.ts'
import { explainEnd, explainRunsOn } from '@/terminal/session/ends.ts'
import { introduceOwner } from '@/terminal/session/hello.ts'
import { selectedModeOf, type SelectedMode } from '@/terminal/session/modes.ts'
import { useTerminalLink, type SessionListeners } from './useTerminalLink.ts'

export interface UseTerminalSessionOptions extends SessionListeners {
  agentKey: () => string
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
  const asksForShell = options.visible() && route.query['mode'] === 'bash'
  const selectedMode = ref<SelectedMode>(asksForShell ? selectedModeOf('bash', options.runtime()) : 'cli')
  /** Label of the program of this session. The mode switch may have changed since. */
  let program = ''
  let isReturn = false

  const nameProgram = (): void => {
    program = providers.modeLabel(selectedMode.value, options.runtime())
  }

  const link = useTerminalLink({
    ...options,
    to: (takeover) => {
      nameProgram()
      const model = selectedMode.value === 'cli' ? options.model() : ''
      const mode = providers.queryMode(selectedMode.value, options.runtime())
      const { task } = selectedMode.value === 'cli' && options.visible() ? route.query : {}
      const { folder } = options.visible() ? route.query : {}
      const of = { task: typeof task === 'string' ? task : null, folder: typeof folder === 'string' ? folder : null }
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

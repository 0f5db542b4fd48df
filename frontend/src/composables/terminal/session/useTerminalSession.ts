import { ref } from 'vue'
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
  runtime: () => string
  model: () => string
}

/** A user's own session with an agent. */
export function useTerminalSession(options: UseTerminalSessionOptions) {
  const selectedMode = ref<SelectedMode>('cli')
  const providers = useProvidersStore()
  const client = randomId()
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
      return {
        url: terminalUrl(options.agentKey(), providers.queryMode(selectedMode.value, options.runtime()), model || null),
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

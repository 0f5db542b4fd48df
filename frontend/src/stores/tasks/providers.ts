import { type Provider, TERMINAL_MODES, type TerminalMode } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { listProviders } from '@/api/tasks/providers.ts'
import type { SelectedMode } from '@/terminal/session/modes.ts'

const isTerminalMode = (mode: string): mode is TerminalMode => (TERMINAL_MODES as readonly string[]).includes(mode)

/** The coding CLIs with their labels from the server. Until it answers, a program is shown by its id. */
export const useProvidersStore = defineStore('providers', () => {
  const items = shallowRef<readonly Provider[]>([])
  let loading: Promise<void> | null = null

  const byId = (id: string): Provider | undefined => items.value.find((provider) => provider.id === id)

  /** Loads the providers once. A failure is ignored: the next page tries again. */
  async function load(): Promise<void> {
    if (items.value.length > 0) return
    loading ??= listProviders()
      .then(
        (providers) => void (items.value = providers),
        () => undefined,
      )
      .finally(() => (loading = null))
    await loading
  }

  /** Label of an agent's runtime. A CLI that an admin added is called by its name until the list has arrived. */
  const runtimeLabel = (runtime: string): string => byId(runtime)?.label ?? runtime.replace(/^custom:/, '')

  /** Label of the program that a session's mode runs. */
  const programLabel = (mode: string): string =>
    items.value.find((provider) => provider.mode === mode)?.label ?? (mode === 'bash' ? 'Bash' : mode)

  /** Label of a place of the mode switch. */
  const modeLabel = (mode: SelectedMode, runtime: string): string =>
    mode === 'bash' ? programLabel('bash') : runtimeLabel(runtime)

  /** The `mode` of the socket's query. Null leaves it out, and the server starts the agent's runtime. */
  function queryMode(mode: SelectedMode, runtime: string): TerminalMode | null {
    const wanted = mode === 'bash' ? 'bash' : (byId(runtime)?.mode ?? '')
    return isTerminalMode(wanted) ? wanted : null
  }

  /** Names of models to suggest for a runtime. */
  const modelsOf = (runtime: string): readonly string[] => byId(runtime)?.models ?? []

  /** Whether a setting of the agent can skip this runtime's permission prompts. */
  const canSkipPermissions = (runtime: string): boolean => byId(runtime)?.canSkipPermissions ?? false

  /** Whether a task of this runtime can ask people before it acts. */
  const canAskPeople = (runtime: string): boolean => byId(runtime)?.canAskPeople ?? false

  /** Whether a task of this runtime can only plan. */
  const canPlan = (runtime: string): boolean => byId(runtime)?.canPlan ?? false

  return {
    items,
    load,
    canAskPeople,
    canPlan,
    canSkipPermissions,
    runtimeLabel,
    programLabel,
    modeLabel,
    queryMode,
    modelsOf,
  }
})

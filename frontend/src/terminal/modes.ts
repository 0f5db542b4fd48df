import type { TerminalMode } from '@slipway/protocol'

/** What the mode switch offers: the agent's own program, or a shell. */
export type SelectedMode = 'cli' | 'bash'

const RUNTIMES = new Map<string, { label: string; mode: TerminalMode }>([
  ['claude-code', { label: 'Claude Code', mode: 'claude' }],
  ['gemini-cli', { label: 'Gemini CLI', mode: 'gemini' }],
  ['codex', { label: 'Codex', mode: 'codex' }],
])

/** The runtime's name for a person; a program that has no other is called by its own. */
export const runtimeLabel = (runtime: string): string => RUNTIMES.get(runtime)?.label ?? runtime

/** The name of what the switch stands at. */
export const modeLabel = (mode: SelectedMode, runtime: string): string =>
  mode === 'bash' ? 'Bash' : runtimeLabel(runtime)

/** The name of what runs, by the server's name of it. */
export const programLabel = (mode: string): string =>
  mode === 'bash' ? 'Bash' : ([...RUNTIMES.values()].find((runtime) => runtime.mode === mode)?.label ?? mode)

/** Where the switch stands for what runs, by the server's name of it. */
export const selectedModeOf = (mode: string, runtime: string): SelectedMode =>
  mode === 'bash' && runtime !== 'bash' ? 'bash' : 'cli'

/** The `mode` of the socket's query; null leaves it away, and the server starts the agent's runtime. */
export function queryMode(mode: SelectedMode, runtime: string): TerminalMode | null {
  return mode === 'bash' ? 'bash' : (RUNTIMES.get(runtime)?.mode ?? null)
}

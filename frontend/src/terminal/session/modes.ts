/** What the mode switch offers: the agent's own program, or a shell. */
export type SelectedMode = 'cli' | 'bash'

/** Where the switch stands for what runs, by the server's name of it. */
export const selectedModeOf = (mode: string, runtime: string): SelectedMode =>
  mode === 'bash' && runtime !== 'bash' ? 'bash' : 'cli'

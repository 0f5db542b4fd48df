/** The places of the mode switch: the agent's own program, or a shell. */
export type SelectedMode = 'cli' | 'bash'

/** The switch's place for the server's name of the running program. */
export const selectedModeOf = (mode: string, runtime: string): SelectedMode =>
  mode === 'bash' && runtime !== 'bash' ? 'bash' : 'cli'

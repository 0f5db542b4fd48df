const shows = (selector: string): boolean => {
  const rect = document.querySelector(selector)?.getBoundingClientRect()
  return rect !== undefined && rect.height > 0 && rect.bottom > 0 && rect.top < innerHeight
}

/** Whether the card of the question is in the window's sight. */
export const isInSight = (id: string): boolean => shows(`[data-dialog="${CSS.escape(id)}"]`)

/**
 * Whether the user's own terminal in the agent is in the window's sight: its tab on the agent's page, or a task on a
 * terminal. `tab`: '' for the one without a name.
 */
export const isTerminalInSight = (agentName: string, tab: string): boolean =>
  shows(
    `[data-terminal-of="${CSS.escape(agentName)}"]:is(:not([data-tab]), [data-tab="${CSS.escape(tab || 'first')}"])`,
  )

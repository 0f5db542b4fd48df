/** Whether the keyboard has a Command key. */
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The key of this platform's shortcuts, as it is written on it. */
export const MODIFIER = IS_MAC ? '⌘' : 'Ctrl'

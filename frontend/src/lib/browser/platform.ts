/** Whether the keyboard has a Command key. */
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The platform's modifier key for shortcuts, as the keyboard labels it. */
export const MODIFIER = IS_MAC ? '⌘' : 'Ctrl'

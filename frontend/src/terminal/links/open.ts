/** Where a link leads: to the web, or to a server on the program's own machine, which is the agent's container. */
export type WebTarget = 'web' | 'agent'

const V4_LOOPBACK = /^127(?:\.\d+){3}$/
/** 127.0.0.0/8 as an IPv6 address. The browser writes its four numbers as two. */
const V6_MAPPED_LOOPBACK = /^\[::ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|0:0)\]$/
/** "Any address of this machine", which browsers treat as loopback. */
const ANY = new Set(['0.0.0.0', '[::]', '[::1]'])

/**
 * Whether a host, as the browser writes it, is the machine itself: https://www.rfc-editor.org/rfc/rfc6761#section-6.3.
 */
function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  const isName = name === 'localhost' || name.endsWith('.localhost')
  return isName || ANY.has(name) || V4_LOOPBACK.test(name) || V6_MAPPED_LOOPBACK.test(name)
}

/** Null for links that must not open: other schemes could run something in this browser or in another program. */
export function webTargetOf(text: string): WebTarget | null {
  try {
    const { protocol, hostname } = new URL(text)
    if (!['http:', 'https:'].includes(protocol)) return null
    return isLoopback(hostname) ? 'agent' : 'web'
  } catch {
    return null
  }
}

/**
 * Opens a program's link; the new page cannot access this one. An address of the agent is only reported, because in
 * this browser it would lead to the user's own machine.
 */
export function openWebLink(text: string, onAgentAddress: (address: string) => void): void {
  const target = webTargetOf(text)
  if (target === 'web') window.open(text, '_blank', 'noopener,noreferrer')
  else if (target === 'agent') onAgentAddress(text)
}

/**
 * Opens a link at the first of several quick clicks. The second click selects a word, and must not open the link again.
 */
export const atFirstClick =
  (open: (text: string) => void) =>
  ({ detail }: MouseEvent, text: string): void => {
    if (detail <= 1) open(text)
  }

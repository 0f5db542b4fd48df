/** What a link leads to: a page of the web, or a server of the machine that the program runs on, which is the agent's container. */
export type WebTarget = 'web' | 'agent'

const V4_LOOPBACK = /^127(?:\.\d+){3}$/
/** 127.0.0.0/8 as an address of IPv6; the browser writes its four numbers as two. */
const V6_MAPPED_LOOPBACK = /^\[::ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|0:0)\]$/
/** "Any address of this machine", which browsers take for loopback. */
const ANY = new Set(['0.0.0.0', '[::]', '[::1]'])

/** Whether a host, as the browser writes it in an address, is the machine itself: https://www.rfc-editor.org/rfc/rfc6761#section-6.3. */
function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  const isName = name === 'localhost' || name.endsWith('.localhost')
  return isName || ANY.has(name) || V4_LOOPBACK.test(name) || V6_MAPPED_LOOPBACK.test(name)
}

/** Null for what is not opened as a link: other schemes could run something here or in another program. */
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
 * Opens a link that a program printed; the new page cannot reach this one. An address of the agent itself is only told: in
 * this browser it would lead to another machine, the reader's own.
 */
export function openWebLink(text: string, onAgentAddress: (address: string) => void): void {
  const target = webTargetOf(text)
  if (target === 'web') window.open(text, '_blank', 'noopener,noreferrer')
  else if (target === 'agent') onAgentAddress(text)
}

/** What opens a link: the first of quick clicks does. The second selects a word, and what it opened would be opened twice. */
export const atFirstClick =
  (open: (text: string) => void) =>
  ({ detail }: MouseEvent, text: string): void => {
    if (detail <= 1) open(text)
  }

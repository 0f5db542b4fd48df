/** The browser's own notifications. What is shown is text of ours or of a program, and only ever text. */

/** What this browser says to them; `insecure` without https, `unsupported` where it cannot show a page's at all. */
export type MayNotify = NotificationPermission | 'insecure' | 'unsupported'

export function mayNotify(): MayNotify {
  // Some say "denied" then, which no setting of theirs would change.
  if (!isSecureContext) return 'insecure'
  return canShow() ? Notification.permission : 'unsupported'
}

/**
 * Chrome on Android has the interface and refuses to construct one (only a service worker may show them), which is seen by
 * trying alone. A function cannot be cloned, so that whoever could construct one has another reason, and shows nothing.
 */
function canShow(): boolean {
  if (!('Notification' in globalThis)) return false
  // An old one that reads no `data` would show it.
  if (!('data' in Notification.prototype)) return true
  try {
    new Notification('', { data: () => undefined })
    return true
  } catch (error) {
    return error instanceof DOMException
  }
}

/** Shows one, in place of the one before with the same `tag`. Nothing where it is not allowed. */
export function notify(title: string, body: string, tag: string, onClick: () => void): void {
  if (mayNotify() !== 'granted') return
  const shown = new Notification(title, { body, tag, icon: '/favicon.svg' })
  shown.onclick = () => {
    window.focus()
    shown.close()
    onClick()
  }
}

/** The browser's own notifications. They contain only text: the page's own, or a program's. */

/**
 * Whether the page may notify. `insecure` means no https; `unsupported` means that the browser cannot show a page's
 * notifications.
 */
export type MayNotify = NotificationPermission | 'insecure' | 'unsupported'

export function mayNotify(): MayNotify {
  // Without https some browsers report "denied", but the user could not change that in their settings.
  if (!isSecureContext) return 'insecure'
  return canShow() ? Notification.permission : 'unsupported'
}

/**
 * Chrome on Android has the constructor but always throws: there only a service worker may notify. Only a try can tell.
 * Its `data` holds a function, which cannot be cloned. A browser that supports notifications therefore throws another
 * error, and shows nothing.
 */
function canShow(): boolean {
  if (!('Notification' in globalThis)) return false
  // An old browser that ignores `data` would show the notification.
  if (!('data' in Notification.prototype)) return true
  try {
    new Notification('', { data: () => undefined })
    return true
  } catch (error) {
    return error instanceof DOMException
  }
}

/**
 * Shows a notification, which replaces an earlier one with the same `tag`. Does nothing without permission. Returns how to
 * close it.
 */
export function notify(title: string, body: string, tag: string, onClick: () => void): () => void {
  if (mayNotify() !== 'granted') return () => undefined
  const shown = new Notification(title, { body, tag, icon: '/favicon.svg' })
  shown.onclick = () => {
    window.focus()
    shown.close()
    onClick()
  }
  return () => shown.close()
}

/** The browser's own notifications. What is shown is text of ours or of a program, and only ever text. */

/** `unsupported` where the browser has none, as without https. */
export const mayNotify = (): NotificationPermission | 'unsupported' =>
  'Notification' in window ? Notification.permission : 'unsupported'

/** Asks the person, if the browser has not already been told. Call it from a click: browsers ignore it otherwise. */
export async function askToNotify(): Promise<boolean> {
  const now = mayNotify()
  if (now !== 'default') return now === 'granted'
  return (await Notification.requestPermission()) === 'granted'
}

/** Shows one, in place of the one before with the same `tag`. Nothing where it is not allowed. */
export function notify(title: string, body: string, tag: string, onClick: () => void): void {
  if (mayNotify() !== 'granted') return
  let shown: Notification
  try {
    shown = new Notification(title, { body, tag, icon: '/favicon.svg' })
  } catch {
    // Chrome on Android has the interface and refuses to construct one.
    return
  }
  shown.onclick = () => {
    window.focus()
    shown.close()
    onClick()
  }
}

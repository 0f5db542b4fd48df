// Shows what the server pushes, and opens its page. It stores nothing, and no request of a page passes through it.

/** What every push must have to be shown. Only the server can encrypt one for this browser. */
const messageOf = (data) => {
  try {
    const { title, body, tag, path, actions } = data.json()
    return { title: String(title), body: String(body), tag: String(tag), path: String(path), actions }
  } catch {
    return { title: 'Slipway', body: 'Something waits for you.', tag: 'slipway-needs-you', path: '/', actions: [] }
  }
}

globalThis.addEventListener('install', () => globalThis.skipWaiting())

globalThis.addEventListener('push', (event) => {
  const { title, body, tag, path, actions } = messageOf(event.data)
  const buttons = actions.map(({ action, title: label }) => ({ action, title: label }))
  const data = { path, paths: Object.fromEntries(actions.map((one) => [one.action, one.path])) }
  const shown = { body, tag, renotify: true, icon: '/favicon.svg', actions: buttons, data }
  event.waitUntil(globalThis.registration.showNotification(title, shown))
})

/** A button only opens a page. The answer takes a second tap there, where the whole question is in sight. */
globalThis.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  const { path = '/', paths = {} } = notification.data ?? {}
  const url = new URL(paths[action] ?? path, globalThis.location.origin)
  if (url.origin === globalThis.location.origin) event.waitUntil(globalThis.clients.openWindow(url.href))
})

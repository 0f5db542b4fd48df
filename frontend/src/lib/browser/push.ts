/** The browser's subscription for pushes. */
import type { AddPushDevice } from '@slipway/protocol'

const WORKER = '/push-worker.js'
/** No page has such an address, so the worker controls none. */
const SCOPE = '/push-worker/'

/** Whether the browser can get pushes. iPhones can once the page is on the home screen. */
export const canPush = (): boolean =>
  isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** The browser's subscription; null if it has none. */
export async function currentSubscription(): Promise<PushSubscription | null> {
  if (!canPush()) return null
  const registration = await navigator.serviceWorker.getRegistration(SCOPE)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Subscribes with the server's key. A subscription with another key is replaced. */
export async function subscribe(publicKey: string): Promise<AddPushDevice> {
  const registration = await navigator.serviceWorker.register(WORKER, { scope: SCOPE, updateViaCache: 'none' })
  await activated(registration)
  const { pushManager } = registration
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  const { endpoint = '', keys = {} } = made.toJSON()
  return { endpoint, p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' }
}

/** A worker that controls no page is never "ready" for one, so its state tells. */
function activated({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting
  if (active || !worker) return Promise.resolve()
  return new Promise((resolve) => {
    worker.addEventListener('statechange', () => worker.state === 'activated' && resolve())
  })
}

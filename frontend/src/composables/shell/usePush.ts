import type { Channels, PushDevice } from '@slipway/protocol'
import { computed, onMounted, ref } from 'vue'
import { addDevice, readChannels, removeDevice } from '@/api/channels/notifications.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { canPush, currentSubscription, subscribe } from '@/lib/browser/push.ts'

/** Pushes to the user's devices, and whether this browser is one of them. */
export function usePush() {
  /** The permission itself: Chrome on Android lets a worker notify, but no page. */
  const isDenied = ref(canPush() && Notification.permission === 'denied')
  const channels = ref<Channels | null>(null)
  const error = ref<string | null>(null)
  const busy = ref(false)
  const subscribed = ref(false)

  /** The row of this browser, if it still gets pushes. */
  const here = computed(() => (subscribed.value && channels.value?.devices.find(({ current }) => current)) || null)
  /** Why this browser cannot be added, or null. */
  const barrier = computed(() => {
    if (!isSecureContext) return 'Pushes need HTTPS. Open this page over HTTPS.'
    if (!canPush()) return 'This browser gets no pushes. On an iPhone or iPad, add this page to the home screen first.'
    if (isDenied.value) return 'Your browser blocks notifications. Allow them for this site in its settings.'
    return channels.value?.publicKey === null
      ? 'The server cannot push now. Its admin finds the reason in its log.'
      : null
  })

  async function load(): Promise<void> {
    error.value = null
    try {
      const [found, own] = await Promise.all([readChannels(), currentSubscription()])
      channels.value = found
      subscribed.value = own !== null
    } catch (cause) {
      error.value = messageOf(cause)
    }
  }

  /** Adds this browser. Call it from a click, because browsers ask for their permission then only. */
  async function add(): Promise<void> {
    const key = channels.value?.publicKey ?? null
    if (key === null || busy.value) return
    busy.value = true
    error.value = null
    try {
      const permission = await Notification.requestPermission()
      isDenied.value = permission === 'denied'
      if (permission === 'granted') await addDevice(await subscribe(key))
      await load()
    } catch (cause) {
      error.value =
        cause instanceof DOMException
          ? 'Your browser could not subscribe at its push service. Try again later.'
          : messageOf(cause)
    } finally {
      busy.value = false
    }
  }

  async function remove({ id, current }: PushDevice): Promise<void> {
    await removeDevice(id)
    if (current) await (await currentSubscription())?.unsubscribe()
  }

  onMounted(load)
  return { channels, here, barrier, busy, error, load, add, remove }
}

import { useTimeoutFn } from '@vueuse/core'
import { ref } from 'vue'

/** How long "Copied" is shown, in milliseconds. */
const SAID_MS = 2_000

/** Copies text to the clipboard, even without https, where the page has no clipboard API. */
export async function copyText(text: string): Promise<boolean> {
  if ('clipboard' in navigator) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  const focused = document.activeElement
  document.body.append(area)
  area.select()
  // Deprecated, and the only way there is without https.
  // oxlint-disable-next-line typescript/no-deprecated
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}

/** State of a copy button. */
export function useCopy() {
  const copied = ref(false)
  const { start } = useTimeoutFn(() => (copied.value = false), SAID_MS, { immediate: false })
  return {
    copied,
    copy: async (text: string) => {
      copied.value = await copyText(text)
      if (copied.value) start()
    },
  }
}

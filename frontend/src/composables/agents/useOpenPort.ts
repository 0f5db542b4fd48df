import { portTicket } from '@/api/agents/ports.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'

/**
 * Opens a port of an agent in a new tab of the browser. Call it from a click: browsers open no tab by themselves. Resolves
 * with whether it is open.
 */
export function useOpenPort() {
  const attempt = useAttempt()
  return async (key: string, port: number, path = '/'): Promise<boolean> => {
    // Before the request, while the browser still sees the click. The app must not have access to this page.
    const tab = window.open('', '_blank')
    if (tab) tab.opener = null
    const isOpen = await attempt(`Could not open port ${port}`, async () => {
      const { url } = await portTicket(key, port, path)
      if (tab) tab.location.replace(url)
      else window.location.assign(url)
    })
    if (!isOpen) tab?.close()
    return isOpen
  }
}

import { START_LOCATION, type Router } from 'vue-router'
import { listenForParts } from '@/lib/browser/parts.ts'
import { reloadAt } from '@/lib/browser/ownAddress.ts'
import { hasUnsent } from '@/lib/browser/unsent.ts'
import { useStartStore } from '@/stores/shell/start.ts'

const AWAITED = 'A part of this page has not loaded yet. Check your connection.'
const LOST = 'This page could not be loaded. Check your connection, then try again.'

/** Handles parts of the page that fail to load. Call it before the router is used. */
export function watchParts(router: Router): void {
  /** The page that the user is going to. */
  let going: string | null = null
  router.beforeEach((to) => {
    going = to.fullPath
  })
  router.afterEach(() => {
    going = null
  })
  const isStart = (): boolean => router.currentRoute.value === START_LOCATION

  listenForParts({
    awaits: (parts) => {
      const start = useStartStore()
      start.isAwaiting = parts > 0
      if (isStart() || start.problem === AWAITED) start.problem = parts > 0 ? AWAITED : null
    },
    isReloaded: (file) => {
      // A user who goes to another page gives up the text in the form fields.
      if (!hasUnsent({ fields: going === null }) && slipway.mayReload(file)) {
        reloadAt(going)
        return true
      }
      const start = useStartStore()
      start.torn = { place: going }
      if (isStart()) start.problem = LOST
      return false
    },
  })
}

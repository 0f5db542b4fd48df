import type { NavigationGuardReturn, RouteLocationNormalized } from 'vue-router'
import { readAuthStatus } from '@/api/identity/auth.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { safeNext } from '@/lib/browser/ownAddress.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import { useStartStore } from '@/stores/shell/start.ts'

/** Redirects visitors: to the setup on a first visit, to the sign-in without one. */
export async function guard(to: RouteLocationNormalized): Promise<NavigationGuardReturn> {
  const auth = useAuthStore()
  const start = useStartStore()
  // Not awaited, because the page works without the labels.
  void useProvidersStore().load()
  try {
    await auth.restore()
    start.problem = null
    if (auth.status === 'signed-in') {
      if (to.path === '/login') return safeNext(to.query['next'])
      if (to.meta.admin === true && !auth.isAdmin) {
        return { name: 'not-found', params: { unknown: to.path.slice(1).split('/') } }
      }
      return true
    }
    if (to.meta.guest === true && to.path !== '/login') return true
    if (auth.status === 'anonymous' && !(await readAuthStatus()).setUp) return '/setup'
    if (to.path === '/login') return true
    return { path: '/login', query: to.fullPath === '/' ? {} : { next: to.fullPath } }
  } catch (error) {
    start.problem = messageOf(error)
    return true
  }
}

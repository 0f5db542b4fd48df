import { createRouter, START_LOCATION, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { lazily } from '@/lib/lazily.ts'
import { useStartStore } from '@/stores/start.ts'
import { guard } from './guard.ts'
import { ownAddress } from './ownAddress.ts'

declare module 'vue-router' {
  interface RouteMeta {
    /** Open to whoever is not signed in. */
    guest?: boolean
    /** For admins; to others there is no such page. */
    admin?: boolean
    /** The page of an agent: one that the path names, or the system agent. */
    agent?: 'named' | 'system'
    title?: string
  }
}

const routes: RouteRecordRaw[] = [
  { path: '/setup', component: lazily(() => import('@/pages/SetupPage.vue')), meta: { guest: true, title: 'Set up' } },
  {
    path: '/invitation',
    component: lazily(() => import('@/pages/InvitationPage.vue')),
    meta: { guest: true, title: 'Invitation' },
  },
  {
    path: '/watch',
    component: lazily(() => import('@/pages/WatchPage.vue')),
    meta: { guest: true, title: 'A shared terminal' },
  },
  { path: '/login', component: lazily(() => import('@/pages/LoginPage.vue')), meta: { guest: true, title: 'Sign in' } },
  {
    path: '/',
    component: lazily(() => import('@/components/shell/AppShell.vue')),
    children: [
      { path: '', component: lazily(() => import('@/pages/AgentsPage.vue')), meta: { title: 'Agents' } },
      {
        path: 'agents/:name/:tab(overview|logs|recordings|sharing|settings)?',
        component: lazily(() => import('@/pages/AgentPage.vue')),
        meta: { agent: 'named' },
      },
      {
        path: 'system-agent/:tab(overview|logs|recordings|settings)?',
        component: lazily(() => import('@/pages/AgentPage.vue')),
        meta: { agent: 'system', admin: true, title: 'System agent' },
      },
      {
        path: 'recordings/:id',
        component: lazily(() => import('@/pages/RecordingPage.vue')),
        meta: { title: 'Recording' },
      },
      { path: 'account', component: lazily(() => import('@/pages/AccountPage.vue')), meta: { title: 'Account' } },
      {
        path: 'platform',
        component: lazily(() => import('@/pages/PlatformPage.vue')),
        meta: { admin: true, title: 'Platform' },
      },
      {
        path: 'users',
        component: lazily(() => import('@/pages/UsersPage.vue')),
        meta: { admin: true, title: 'Users' },
      },
      {
        path: 'audit',
        component: lazily(() => import('@/pages/AuditPage.vue')),
        meta: { admin: true, title: 'Audit log' },
      },
      {
        path: ':unknown(.*)*',
        name: 'not-found',
        component: lazily(() => import('@/pages/NotFoundPage.vue')),
        meta: { title: 'Not found' },
      },
    ],
  },
]

export const router = createRouter({ history: createWebHistory(), routes })
router.beforeEach(guard)

// A page that cannot be loaded, however often it is tried, belongs to a version that the server has replaced.
router.onError((_error, to, from) => {
  if (from === START_LOCATION) {
    // This was a reload already; another one would go on for ever.
    const start = useStartStore()
    start.problem = 'This page could not be loaded. Check your connection, then try again.'
    start.isTorn = true
    return
  }
  // The browser reads a path otherwise than the router, and may leave the site for it.
  location.assign(ownAddress(to.fullPath) ?? '/')
})

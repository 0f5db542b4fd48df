import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { guard } from './guard.ts'
import { watchParts } from './parts.ts'

declare module 'vue-router' {
  interface RouteMeta {
    /** Open to visitors without a sign-in. */
    guest?: boolean
    /** For admins only. Other users get "not found". */
    admin?: boolean
    /** The page of an agent: the one named in the path, or the system agent. */
    agent?: 'named' | 'system'
    /** Shows the tasks, so that the dock need not. */
    tasks?: boolean
    title?: string
  }
}

const routes: RouteRecordRaw[] = [
  { path: '/setup', component: () => import('@/pages/SetupPage.vue'), meta: { guest: true, title: 'Set up' } },
  {
    path: '/invitation',
    component: () => import('@/pages/InvitationPage.vue'),
    meta: { guest: true, title: 'Invitation' },
  },
  {
    path: '/watch',
    component: () => import('@/pages/WatchPage.vue'),
    meta: { guest: true, title: 'Shared terminal' },
  },
  {
    path: '/shared-port',
    component: () => import('@/pages/SharedPortPage.vue'),
    meta: { guest: true, title: 'Shared app' },
  },
  { path: '/login', component: () => import('@/pages/LoginPage.vue'), meta: { guest: true, title: 'Sign in' } },
  {
    path: '/',
    component: () => import('@/components/shell/AppShell.vue'),
    children: [
      {
        path: '',
        alias: 'dashboard',
        component: () => import('@/pages/DashboardPage.vue'),
        meta: { title: 'Dashboard' },
      },
      { path: 'agents', component: () => import('@/pages/AgentsPage.vue'), meta: { title: 'Agents' } },
      {
        path: 'agents/:name/:tab(overview|files|changes|ports|logs|recordings|worktrees|sharing|settings)?',
        component: () => import('@/pages/AgentPage.vue'),
        meta: { agent: 'named' },
      },
      {
        path: 'system-agent/:tab(overview|files|changes|ports|logs|recordings|worktrees|settings)?',
        component: () => import('@/pages/AgentPage.vue'),
        meta: { agent: 'system', admin: true, title: 'System agent' },
      },
      {
        path: 'recordings/:id',
        component: () => import('@/pages/RecordingPage.vue'),
        meta: { title: 'Recording' },
      },
      {
        path: 'questions/:id',
        component: () => import('@/pages/QuestionPage.vue'),
        meta: { title: 'Question' },
      },
      {
        path: 'coding-agents/schedules',
        component: () => import('@/pages/SchedulesPage.vue'),
        meta: { title: 'Schedules' },
      },
      {
        path: 'coding-agents/webhooks',
        component: () => import('@/pages/WebhooksPage.vue'),
        meta: { title: 'Webhooks' },
      },
      {
        path: 'coding-agents/comparisons/:id?',
        component: () => import('@/pages/ComparisonsPage.vue'),
        meta: { title: 'Compare' },
      },
      { path: 'coding-agents/usage', component: () => import('@/pages/UsagePage.vue'), meta: { title: 'Usage' } },
      {
        path: 'coding-agents/:id?',
        component: () => import('@/pages/TasksPage.vue'),
        meta: { tasks: true, title: 'Tasks' },
      },
      {
        path: 'conversations/:id?',
        component: () => import('@/pages/ConversationsPage.vue'),
        meta: { tasks: true, title: 'Conversations' },
      },
      {
        path: 'settings/coding-agents',
        component: () => import('@/pages/CodingAgentSettingsPage.vue'),
        meta: { title: 'Settings of coding agents' },
      },
      { path: 'account', component: () => import('@/pages/AccountPage.vue'), meta: { title: 'Account' } },
      {
        path: 'device',
        component: () => import('@/pages/DevicePage.vue'),
        meta: { title: 'Sign in another device' },
      },
      {
        path: 'platform',
        component: () => import('@/pages/PlatformPage.vue'),
        meta: { admin: true, title: 'Shared credentials' },
      },
      {
        path: 'users',
        component: () => import('@/pages/UsersPage.vue'),
        meta: { admin: true, title: 'Users' },
      },
      {
        path: 'audit',
        component: () => import('@/pages/AuditPage.vue'),
        meta: { admin: true, title: 'Audit log' },
      },
      {
        path: ':unknown(.*)*',
        name: 'not-found',
        component: () => import('@/pages/NotFoundPage.vue'),
        meta: { title: 'Not found' },
      },
    ],
  },
]

export const router = createRouter({ history: createWebHistory(), routes })
watchParts(router)
router.beforeEach(guard)

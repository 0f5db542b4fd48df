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
  { path: '/setup', component: () => import('@/pages/account/SetupPage.vue'), meta: { guest: true, title: 'Set up' } },
  {
    path: '/invitation',
    component: () => import('@/pages/account/InvitationPage.vue'),
    meta: { guest: true, title: 'Invitation' },
  },
  {
    path: '/watch',
    component: () => import('@/pages/guests/WatchPage.vue'),
    meta: { guest: true, title: 'Shared terminal' },
  },
  {
    path: '/shared-port',
    component: () => import('@/pages/guests/SharedPortPage.vue'),
    meta: { guest: true, title: 'Shared app' },
  },
  { path: '/login', component: () => import('@/pages/account/LoginPage.vue'), meta: { guest: true, title: 'Sign in' } },
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
      { path: 'agents', component: () => import('@/pages/agents/AgentsPage.vue'), meta: { title: 'Agents' } },
      {
        path: 'agents/:name/:tab(overview|files|changes|ports|logs|recordings|worktrees|sharing|settings)?',
        component: () => import('@/pages/agents/AgentPage.vue'),
        meta: { agent: 'named' },
      },
      {
        path: 'system-agent/:tab(overview|files|changes|ports|logs|recordings|worktrees|settings)?',
        component: () => import('@/pages/agents/AgentPage.vue'),
        meta: { agent: 'system', admin: true, title: 'System agent' },
      },
      {
        path: 'recordings/:id',
        component: () => import('@/pages/agents/RecordingPage.vue'),
        meta: { title: 'Recording' },
      },
      {
        path: 'questions/:id',
        component: () => import('@/pages/QuestionPage.vue'),
        meta: { title: 'Question' },
      },
      {
        path: 'coding-agents/schedules',
        component: () => import('@/pages/tasks/SchedulesPage.vue'),
        meta: { title: 'Schedules' },
      },
      {
        path: 'coding-agents/webhooks',
        component: () => import('@/pages/tasks/WebhooksPage.vue'),
        meta: { title: 'Webhooks' },
      },
      {
        path: 'coding-agents/comparisons/:id?',
        component: () => import('@/pages/tasks/ComparisonsPage.vue'),
        meta: { title: 'Compare' },
      },
      { path: 'coding-agents/usage', component: () => import('@/pages/tasks/UsagePage.vue'), meta: { title: 'Usage' } },
      {
        path: 'coding-agents/:id?',
        component: () => import('@/pages/tasks/TasksPage.vue'),
        meta: { tasks: true, title: 'Tasks' },
      },
      {
        path: 'conversations/:id?',
        component: () => import('@/pages/tasks/ConversationsPage.vue'),
        meta: { tasks: true, title: 'Conversations' },
      },
      {
        path: 'settings/coding-agents',
        component: () => import('@/pages/tasks/CodingAgentSettingsPage.vue'),
        meta: { title: 'Coding agent settings' },
      },
      { path: 'account', component: () => import('@/pages/account/AccountPage.vue'), meta: { title: 'Account' } },
      {
        path: 'device',
        component: () => import('@/pages/account/DevicePage.vue'),
        meta: { title: 'Sign in another device' },
      },
      {
        path: 'platform',
        component: () => import('@/pages/admin/PlatformPage.vue'),
        meta: { admin: true, title: 'Shared credentials' },
      },
      {
        path: 'users',
        component: () => import('@/pages/admin/UsersPage.vue'),
        meta: { admin: true, title: 'Users' },
      },
      {
        path: 'audit',
        component: () => import('@/pages/admin/AuditPage.vue'),
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

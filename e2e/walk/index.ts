/** All pages and their states, in chapters. The visitor's `look` decides what to do in each state. */
import { agentPages, troubles } from './agents/agent.ts'
import { beginning } from './agents/beginning.ts'
import { changes } from './agents/changes.ts'
import { lists } from './agents/lists.ts'
import { worktrees } from './agents/worktrees.ts'
import { apiPage } from './pages/api-page.ts'
import { dashboard } from './pages/dashboard.ts'
import { shell } from './pages/shell.ts'
import { people } from './people/people.ts'
import { strangers } from './people/strangers.ts'
import { conversations } from './tasks/conversations.ts'
import { dialogs } from './tasks/dialogs.ts'
import { schedules } from './tasks/schedules.ts'
import { tasks } from './tasks/tasks.ts'
import { recordings } from './terminal/recordings.ts'
import { returning } from './terminal/returning.ts'
import { terminal } from './terminal/terminal.ts'
import { watching } from './terminal/watching.ts'
import type { FurnishedServer } from './place.ts'
import type { Visitor } from './visitor.ts'

type Chapter = (visitor: Visitor, place: FurnishedServer) => Promise<void>

/** The terminal comes first, because the agent's page shows the processes that it leaves. */
export const CHAPTERS: readonly (readonly [title: string, chapter: Chapter])[] = [
  ['before the sign-in', strangers],
  ['the page of the API', apiPage],
  ['the agents', lists],
  ['a terminal', terminal],
  ['a shared terminal', watching],
  ['a page that is left and opened again', returning],
  ['the other pages of an agent', agentPages],
  ['what an agent begins with', beginning],
  ['recordings', recordings],
  ['the worktrees of an agent', worktrees],
  ['the repositories of an agent', changes],
  ['an agent in trouble', troubles],
  ['conversations', conversations],
  ['tasks', tasks],
  ['schedules and usage', schedules],
  ['the dashboard', dashboard],
  ['what agents ask', dialogs],
  ['people', people],
  ['the shell and the system agent', shell],
]

/** All pages and their states, in chapters. The visitor's `look` decides what to do in each state. */
import { agentPages, troubles } from './agent.ts'
import { apiPage } from './api-page.ts'
import { beginning } from './beginning.ts'
import { changes } from './changes.ts'
import { conversations } from './conversations.ts'
import { dashboard } from './dashboard.ts'
import { dialogs } from './dialogs.ts'
import { lists } from './lists.ts'
import { people } from './people.ts'
import type { Place } from './place.ts'
import { recordings } from './recordings.ts'
import { returning } from './returning.ts'
import { schedules } from './schedules.ts'
import { shell } from './shell.ts'
import { strangers } from './strangers.ts'
import { tasks } from './tasks.ts'
import { terminal } from './terminal.ts'
import type { Visitor } from './visitor.ts'
import { watching } from './watching.ts'
import { worktrees } from './worktrees.ts'

type Chapter = (visitor: Visitor, place: Place) => Promise<void>

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

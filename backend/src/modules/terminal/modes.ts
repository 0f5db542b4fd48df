/** Decides which program a terminal starts. */
import { AGENT_HOME, MODEL_PATTERN, TAB_PATTERN, TERMINAL_MODES } from '@slipway/protocol'
import type { AgentRow } from '../agents/rows.ts'
import { modeOfRuntime } from '../providers/catalogue.ts'

/** The query asks for an unknown mode or model, or for what cannot be a task, a folder or the name of a tab. */
export class BadQueryError extends Error {
  override readonly name = 'BadQueryError'
}

const MODEL = new RegExp(MODEL_PATTERN)
const TAB = new RegExp(TAB_PATTERN)

/** Longest path of a folder, in UTF-16 code units: less than `PATH_MAX`. */
const FOLDER_MAX = 4095

export interface Query {
  readonly mode: string | null
  readonly model: string | null
  /** The task whose conversation the terminal continues, or null. */
  readonly task: string | null
  /** The folder in which a new program starts: an absolute path in the home. Null: the home. */
  readonly folder: string | null
  /** Which of the user's terminals in the agent. Null: the one without a name. */
  readonly tab: string | null
}

/** Validates the query of the upgrade. Throws {@link BadQueryError} with a text for the user. */
export const readQuery = (query: unknown): Query => {
  const { mode, model, task, folder, tab } = (query ?? {}) as Record<string, unknown>
  if (mode !== undefined && !(TERMINAL_MODES as readonly unknown[]).includes(mode))
    throw new BadQueryError(`Unknown mode. Use one of: ${TERMINAL_MODES.join(', ')}`)
  if (model !== undefined && model !== '' && (typeof model !== 'string' || !MODEL.test(model)))
    throw new BadQueryError('Invalid model name')
  if (task !== undefined && typeof task !== 'string') throw new BadQueryError('Name one task')
  if (folder !== undefined && !isInHome(folder)) throw new BadQueryError(`Name a folder in ${AGENT_HOME}`)
  if (tab !== undefined && !isTab(tab))
    throw new BadQueryError('Invalid tab name. Use 1 to 32 letters, digits and ._- and begin with a letter or digit.')
  return {
    mode: typeof mode === 'string' ? mode : null,
    model: typeof model === 'string' && model !== '' ? model : null,
    task: typeof task === 'string' ? task : null,
    folder: folder ?? null,
    tab: tab ?? null,
  }
}

/** A name that comes twice in the query is an array, and no name. */
const isTab = (tab: unknown): tab is string => typeof tab === 'string' && TAB.test(tab)

/** Whether it names a folder in the home. Where its links lead is the container's affair, as after `cd`. */
const isInHome = (folder: unknown): folder is string =>
  typeof folder === 'string' &&
  folder.length <= FOLDER_MAX &&
  `${folder}/`.startsWith(`${AGENT_HOME}/`) &&
  !folder.includes('\0') &&
  !folder.split('/').includes('..')

/** Without a mode, the terminal runs the agent's runtime. */
export const modeFor = (query: Pick<Query, 'mode'>, row: AgentRow): string => query.mode ?? modeOfRuntime(row.runtime)

/** The agent's model belongs to its runtime. Other CLIs do not know it. */
export const modelFor = (query: Query, row: AgentRow): string | null => {
  if (query.model !== null) return query.model
  return modeFor({ mode: null }, row) === modeFor(query, row) ? row.model : null
}

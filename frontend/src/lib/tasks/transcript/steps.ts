/** What a step of a task does, in words. */
import { withDirectionsInSight } from '@/lib/format/directions.ts'
import type { Change, StepEntry } from './entries.ts'

/** A step's sentence in two parts: "Edited" and "src/a.ts". */
export interface Summary {
  /** What it did, or does: "Edited", "Editing". */
  readonly verb: string
  /** A file, a command, a search. Empty if the verb says all. */
  readonly object: string
  readonly kind: StepKind
}
export type StepKind = 'command' | 'edit' | 'read' | 'search' | 'web' | 'delegate' | 'tool'

type Verbs = readonly [done: string, doing: string, asking: string, refused: string]

const VERBS: Record<StepKind, Verbs> = {
  command: ['Ran', 'Running', 'Wants to run', 'Did not run'],
  edit: ['Edited', 'Editing', 'Wants to edit', 'Did not edit'],
  read: ['Read', 'Reading', 'Wants to read', 'Did not read'],
  search: ['Searched for', 'Searching for', 'Wants to search for', 'Did not search for'],
  web: ['Fetched', 'Fetching', 'Wants to fetch', 'Did not fetch'],
  delegate: ['Delegated', 'Delegating', 'Wants to delegate', 'Did not delegate'],
  tool: ['Used', 'Using', 'Wants to use', 'Did not use'],
}
const CHANGE_VERBS: Record<Change['change'], Verbs> = {
  added: ['Created', 'Creating', 'Wants to create', 'Did not create'],
  modified: VERBS.edit,
  deleted: ['Deleted', 'Deleting', 'Wants to delete', 'Did not delete'],
}

/** Names of tools in all CLIs, lower case without separators. Others are shown by name. */
const KINDS: readonly (readonly [StepKind, RegExp])[] = [
  ['edit', /^(write|edit|multiedit|notebookedit|writefile|replace|create|strreplace\w*|applypatch|patch)$/],
  ['read', /^(read|readfile|readmanyfiles|view|viewimage|notebookread|listdirectory|ls|list)$/],
  ['search', /^(grep\w*|glob|search\w*|find\w*|rg|websearch|googlewebsearch|codesearch|toolsearch)$/],
  ['web', /^(webfetch|fetch|browse)$/],
  ['delegate', /^(task|agent|subagent|delegate)$/],
  ['command', /^(bash|shell|runshellcommand|exec|execcommand|terminal|command)$/],
]
/** Fields of an input that say what a call is about, the best first. */
const OBJECTS = [
  ...['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'dir_path', 'command', 'pattern', 'query'],
  ...['url', 'description', 'prompt'],
]
/** Longest object, in UTF-16 code units. */
const OBJECT_MAX = 200

const kindOf = (name: string): StepKind => {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  return KINDS.find(([, names]) => names.test(plain))?.[0] ?? 'tool'
}

/** A tool's name for readers: "server: tool" for one of an MCP server. */
export const toolName = (name: string): string => {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  return server === undefined || tool === undefined ? name : `${server}: ${tool}`
}

/** A path as the reader knows it: below the task's folder, or from the home. */
export function shortPath(written: string, cwd: string): string {
  const path = withDirectionsInSight(written)
  if (path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1)
  return path.startsWith('/home/developer/') ? `~/${path.slice('/home/developer/'.length)}` : path
}

const firstLine = (text: string): string => {
  const [line = ''] = withDirectionsInSight(text.trim()).split('\n', 1)
  return line.length > OBJECT_MAX ? `${line.slice(0, OBJECT_MAX)}…` : line
}

/** What the input of a call is about. */
export function objectOf(input: unknown): string {
  if (typeof input === 'string') return firstLine(input)
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Record<string, unknown>
  const found = OBJECTS.map((field) => fields[field]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? firstLine(found) : ''
}

/** A step in words, in the past, or in the present while it runs. */
export function summaryOf(step: StepEntry, cwd: string): Summary {
  const tense = step.isRefused ? 3 : step.state !== 'running' ? 0 : step.isAsked ? 2 : 1
  if (step.command !== null)
    return { verb: VERBS.command[tense], object: firstLine(step.command.command), kind: 'command' }
  const [change, ...others] = step.changes
  if (change !== undefined) {
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return { verb: CHANGE_VERBS[change.change][tense], object: shortPath(change.path, cwd) + more, kind: 'edit' }
  }
  // A result whose call was not told.
  if (step.name === '') return { verb: `${VERBS.tool[tense]} a tool`, object: '', kind: 'tool' }
  const kind = kindOf(step.name)
  const object = shortPath(step.object, cwd)
  if (kind !== 'tool') return { verb: VERBS[kind][tense], object: object || (kind === 'read' ? '.' : ''), kind }
  return { verb: VERBS.tool[tense], object: [toolName(step.name), object].filter(Boolean).join(' · '), kind }
}

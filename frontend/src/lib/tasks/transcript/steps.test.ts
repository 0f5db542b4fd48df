import { expect, it } from 'vitest'
import type { StepEntry } from './entries.ts'
import { activityOf } from './activity.ts'
import { summaryOf } from './steps.ts'

const HOME = '/home/developer'
const step = (more: Partial<StepEntry>): StepEntry => ({
  ...{
    kind: 'step',
    id: 1,
    at: '2026-11-26T12:00:00.000Z',
    callId: 'a',
    name: 'Tool',
    object: '',
    input: null,
    edit: null,
  },
  ...{ command: null, changes: [], result: null, isAsked: false, isRefused: false, state: 'done', endedAt: null },
  ...more,
})
const said = (more: Partial<StepEntry>): string => {
  const { verb, object } = summaryOf(step(more), `${HOME}/app`)
  return `${verb} ${object}`
}

it('a step is told as what it did, and as what it does while it runs', () => {
  expect(said({ name: 'Read', object: `${HOME}/app/src/a.ts` })).toBe('Read src/a.ts')
  expect(said({ name: 'Edit', object: `${HOME}/app/src/a.ts`, state: 'running' })).toBe('Editing src/a.ts')
  expect(said({ name: 'Bash', object: 'ls', isAsked: true, state: 'running' })).toBe('Wants to run ls')
  expect(said({ name: 'Bash', object: 'ls', isRefused: true, state: 'failed' })).toBe('Did not run ls')
  expect(said({ name: 'run_shell_command', object: 'npm test' })).toBe('Ran npm test')
  expect(said({ command: { command: 'npm test\nnpm run lint', exitCode: 0 } })).toBe('Ran npm test')
  expect(said({ name: 'grep_search', object: 'TODO' })).toBe('Searched for TODO')
})

it('a change of files is told by its kind, and paths from the folder or from the home', () => {
  const changes = [
    { path: `${HOME}/other.md`, change: 'added' },
    { path: '/etc/hosts', change: 'modified' },
  ] as const
  expect(said({ changes })).toBe('Created ~/other.md and 1 more')
  expect(said({ changes: [changes[1]] })).toBe('Edited /etc/hosts')
})

it('an unknown tool is told by its name, with the server that it belongs to', () => {
  expect(said({ name: 'mcp__tickets__open', object: 'a bug' })).toBe('Used tickets: open · a bug')
  expect(said({ name: 'Skill' })).toBe('Used Skill')
})

it('an active task says what it does now, and since when', () => {
  const task = {
    state: 'running',
    waitsFor: null,
    startedAt: '2026-11-26T11:59:00.000Z',
    createdAt: '',
    cwd: HOME,
  } as const
  const running = step({ name: 'Read', object: `${HOME}/a.ts`, state: 'running' })
  expect(activityOf(task, [running, step({ id: 2 })])).toEqual({ words: 'Reading', object: 'a.ts', since: running.at })
  expect(activityOf(task, [step({})])?.words).toBe('Thinking')
  expect(activityOf(task, [])?.words).toBe('Waiting for the CLI')
  expect(activityOf({ ...task, state: 'completed' }, [])).toBeNull()
})

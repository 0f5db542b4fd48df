import { expect, it } from 'vitest'
import { endOfTerminal } from './end.ts'

const NAMES = { provider: 'Claude Code', agent: 'atlas' }

it.each([
  ['exited', 0, 'completed', 'completed'],
  ['exited', 3, 'failed', 'exit_code'],
  ['out_of_memory', 137, 'failed', 'out_of_memory'],
  ['container_stopped', null, 'failed', 'container_stopped'],
  ['disconnected', null, 'terminated', 'terminated'],
  ['connection_lost', null, 'terminated', 'terminated'],
  ['access_revoked', null, 'terminated', 'access_revoked'],
  ['now_shared', null, 'terminated', 'access_revoked'],
  ['agent_deleted', null, 'terminated', 'agent_deleted'],
  ['failed_to_start', null, 'failed', 'failed_to_start'],
  ['server_stopping', null, 'failed', 'lost'],
] as const)('a terminal that ended with %s and %s is a run that is %s: %s', (reason, exitCode, state, because) => {
  const end = endOfTerminal({ reason, exitCode, message: 'It is over.' }, NAMES, 'ann@example.org')
  expect(end).toMatchObject({ state, reason: because })
  expect(end.error === null).toBe(state === 'completed')
})

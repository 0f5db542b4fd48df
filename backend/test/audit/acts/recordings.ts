/** Recordings: watched, kept, shared and deleted. */
import type { AuditAction } from '@slipway/protocol'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'
import { type Act, send, someAgent } from './act.ts'

/** A recording of the owner, with its file. */
const someRecording = async (team: Team, shared: boolean) => {
  const { database, clock, dataDir, owner } = team
  const [name, id, at] = [await someAgent(team), randomUUID(), new Date(clock.now())]
  const { id: agentId } = await database.prisma.agent.findUniqueOrThrow({ where: { name } })
  const whose = { agentId, userId: owner.id, email: owner.email, mode: 'bash' }
  const ended = { startedAt: at, endedAt: at, state: 'complete', shared } as const
  await database.prisma.recording.create({ data: { id, ...whose, ...ended } })
  mkdirSync(join(dataDir, 'recordings'), { recursive: true })
  writeFileSync(join(dataDir, 'recordings', `${id}.cast`), '{"version":3}\n')
  return { name, id, facts: { owner: owner.email, recordingId: id, of: owner.email, mode: 'bash' } }
}

interface Done {
  readonly answered: number
  readonly action: AuditAction
  readonly what: (id: string) => Call
  readonly body?: object
  /** Whether the recording is shared before the act. */
  readonly shared?: boolean
  readonly detail?: object
}

const act = (name: string, { answered, action, what, body, shared = false, detail = {} }: Done): Act => [
  name,
  answered,
  async (team) => {
    const recording = await someRecording(team, shared)
    const actor = team.owner.email
    return {
      perform: () => send(team, team.owner, what(recording.id), body),
      rows: [{ action, actor, target: recording.name, detail: { ...recording.facts, ...detail } }],
    }
  },
]

export const RECORDINGS: readonly Act[] = [
  act('a recording that is looked at', {
    answered: 200,
    action: 'recording.viewed',
    what: (id) => `GET /recordings/${id}/cast`,
  }),
  act('a recording that is downloaded', {
    answered: 200,
    action: 'recording.downloaded',
    what: (id) => `GET /recordings/${id}/cast?download=true`,
  }),
  act('a recording that is shared', {
    answered: 200,
    action: 'recording.shared',
    what: (id) => `PATCH /recordings/${id}`,
    body: { shared: true },
    detail: { changes: { shared: { before: false, after: true } } },
  }),
  act('a recording that is shared no more', {
    answered: 200,
    action: 'recording.unshared',
    what: (id) => `PATCH /recordings/${id}`,
    body: { shared: false },
    shared: true,
    detail: { changes: { shared: { before: true, after: false } } },
  }),
  act('a recording that is deleted', {
    answered: 204,
    action: 'recording.deleted',
    what: (id) => `DELETE /recordings/${id}`,
    detail: { because: 'asked_for' },
  }),
]

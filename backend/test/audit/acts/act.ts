/** The description of an act, and what prepares it. */
import type { AuditAction } from '@slipway/protocol'
import { randomUUID } from 'node:crypto'
import type { TerminalClient } from '@slipway/testing'
import { expect } from 'vitest'
import { addPerson, type Call, call, type Person } from '../../support/people/people.ts'
import { newAgent, type Team } from '../../support/people/team.ts'
import { openTerminal } from '../../support/terminals/terminal.ts'

/** The answer to an act: a status and its error's code, or the close code of a socket. */
export interface Answer {
  readonly status: number
  readonly code?: string | undefined
}

/** A row that is expected: the action, the user (`null`: not authenticated), the target, and some of the facts. */
export interface Expected {
  readonly action: AuditAction
  readonly actor: string | null
  readonly target: string | null
  readonly detail?: object
}

/** A prepared act. The test does it twice: the first time it is refused, the second time it succeeds. */
export interface Ready {
  readonly perform: () => Promise<Answer>
  readonly rows: readonly Expected[]
}

export type Act = readonly [name: string, answered: number, prepare: (team: Team) => Promise<Ready>]

/** How long a session took, in the row of its end. */
export const seconds: unknown = expect.any(Number)

export const WRONG = 'not the password at all'

export const answer = ({ statusCode, body }: { statusCode: number; body: string }): Answer => ({
  status: statusCode,
  ...(statusCode < 400 ? {} : { code: (JSON.parse(body) as { code: string }).code }),
})
export const send = ({ app }: Team, { token }: Person, what: Call, body?: object): Promise<Answer> =>
  call(app, what, { token, body }).then(answer)

export const someName = (): string => `a-${randomUUID().slice(0, 13)}`
export const someEmail = (): string => `${someName()}@example.org`

export const someAgent = async ({ app, owner }: Team): Promise<string> => {
  const name = someName()
  await call(app, 'POST /agents?wait=true', { token: owner.token, body: newAgent(name) })
  return name
}
export const someUser = (team: Team): Promise<Person> => addPerson(team, team.admin, someEmail())

/** Connects to a terminal. Resolves when it is open, or closed. */
export const enter = async (team: Team, path: string, first: object): Promise<TerminalClient> => {
  const terminal = await openTerminal(team, path, first)
  await terminal.answered()
  return terminal
}

/** Connects to a terminal. Disconnects, unless the server refused. */
export const visit = async (team: Team, path: string, first: object): Promise<Answer> => {
  const terminal = await enter(team, path, first)
  terminal.close()
  return { status: (await terminal.closed).code }
}

/** An expected row with the owner as its actor. Acts of other users replace the actor. */
export const row = (team: Team, action: AuditAction, target: string, detail: object): Expected => ({
  action,
  actor: team.owner.email,
  target,
  detail,
})

/** The rows of a program without a terminal that the owner runs in their agent. */
export const execRows = (team: Team, agent: string, program: string): readonly Expected[] => {
  const facts = { owner: team.owner.email, mode: 'exec' }
  return [
    row(team, 'exec.started', agent, { ...facts, program, relation: 'owner' }),
    row(team, 'exec.ended', agent, { ...facts, reason: 'exited', exitCode: 0, seconds }),
  ]
}

/** What is said of an act, and what acts are prepared with. */
import type { AuditAction } from '@slipway/protocol'
import { randomUUID } from 'node:crypto'
import type { TerminalClient } from '@slipway/testing'
import { addPerson, type Call, call, type Person } from '../../support/people.ts'
import { newAgent, type Team } from '../../support/team.ts'
import { openTerminal } from '../../support/terminal.ts'

/** What an act was answered: a status and its error's code, or the code that a socket was closed with. */
export interface Answer {
  readonly status: number
  readonly code?: string | undefined
}

/** A row that is expected: what was done, by whom (`null`: nobody proven), to what, and some of its facts. */
export interface Expected {
  readonly action: AuditAction
  readonly actor: string | null
  readonly target: string | null
  readonly detail?: object
}

/** An act that is ready to be done. It is done twice: refused first, then in earnest. */
export interface Ready {
  readonly perform: () => Promise<Answer>
  readonly rows: readonly Expected[]
}

export type Act = readonly [name: string, answered: number, prepare: (team: Team) => Promise<Ready>]

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

/** Comes to a terminal; resolves when it is open, or closed. */
export const enter = async (team: Team, path: string, first: object): Promise<TerminalClient> => {
  const terminal = await openTerminal(team, path, first)
  await terminal.answered()
  return terminal
}

/** Comes to a terminal and disconnects, where it was not refused. */
export const visit = async (team: Team, path: string, first: object): Promise<Answer> => {
  const terminal = await enter(team, path, first)
  terminal.close()
  return { status: (await terminal.closed).code }
}

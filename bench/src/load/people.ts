/** The users of a run, with their agents. */
import { randomBytes } from 'node:crypto'
import type { ListenTarget } from '../client/listen.ts'
import type { Person } from '../client/sign-ins.ts'
import type { TerminalTarget } from '../client/terminal.ts'
import { Api } from '../harness/api.ts'
import type { World } from '../harness/world.ts'
import type { Plan } from './plan.ts'

/** How many are made at once. More would only wait for the engine. */
const AT_ONCE = 4

export interface People {
  readonly people: readonly Person[]
  /** One terminal for each user and agent. */
  readonly terminals: readonly TerminalTarget[]
  readonly pages: readonly ListenTarget[]
  /** The terminal of an agent into which only the measurement types. */
  readonly measured: TerminalTarget
  /** Terminals of agents in which things are opened and closed. */
  readonly passing: readonly TerminalTarget[]
}

/** Runs `work` for each item, a few at once. */
const each = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const waiting = [...items]
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

/** Uses API tokens, because the access token of a sign-in expires during a long run. */
const tokenFor = async (api: Api): Promise<string> =>
  (await api.post<{ token: string }>('/tokens', { name: 'load', scopes: ['agents:read', 'terminal'] })).token

export const makePeople = async (world: World, admin: Api, plan: Plan): Promise<People> => {
  const people: Person[] = []
  const terminals: TerminalTarget[] = []
  const pages: ListenTarget[] = []
  const eventsUrl = `${admin.base.replace('http', 'ws')}/api/events`
  const settle = async (index: number): Promise<void> => {
    const person = { email: `user-${index}@load.example`, password: randomBytes(12).toString('hex') }
    await admin.post('/users', { ...person, role: 'user' })
    const own = await Api.signIn(admin.base, person.email, person.password)
    const token = await tokenFor(own)
    people.push(person)
    for (let page = 0; page < plan.pagesEach; page++) pages.push({ url: eventsUrl, token })
    for (let number = 0; number < plan.agentsEach; number++) {
      const name = `user-${index}-${number}`
      await world.addAgent(own, name)
      terminals.push({ url: admin.terminalUrl(name), token, version: 2 })
    }
  }
  await each(
    Array.from({ length: plan.users }, (_, index) => index),
    settle,
  )
  // The admin's own sessions take no place of the users.
  const token = await tokenFor(admin)
  const [measured, ...passing] = terminals.slice(0, plan.users + 1).map((target) => ({ ...target, token }))
  return { people, terminals, pages, measured: measured!, passing }
}

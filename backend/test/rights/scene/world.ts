/** The users of the walk, and all callers. */
import { type Role, SCOPES, type Scope } from '@slipway/protocol'
import { DAY_MS } from '../../../src/lib/time/clock.ts'
import { PLATFORM } from '../../../src/modules/audit/actor.ts'
import type { MemoryEngine } from '../../support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'
import type { Who } from '../who.ts'

/** A caller, with the name that failures give it. */
export interface Asker {
  readonly name: string
  /** The column of the table that has the expected answers. */
  readonly as: Who
  /** The scopes of the caller's API token. Null: the caller signed in, and has all rights of the user. */
  readonly scope: Scope | 'agents:write terminal' | 'tasks:write terminal' | 'tasks:read tasks:write' | null
  /** The token to send. It comes from a new sign-in if a request has ended the last one. */
  token(): Promise<string | undefined>
}

export interface World extends Team {
  readonly sharee: Person
  readonly engine: MemoryEngine
  /** A token of a sign-in that nothing has ended. */
  signedIn(person: Pick<Person, 'id'>): Promise<string>
  readonly askers: readonly Asker[]
}

/** Makes all callers: those without any right, and those with some. */
export async function populate(team: Team, engine: MemoryEngine): Promise<World> {
  const { app, identity, database, clock, admin } = team
  const fresh = async ({ id }: Pick<Person, 'id'>): Promise<string> => {
    const user = await database.prisma.user.findUniqueOrThrow({ where: { id } })
    return (await identity.signIns.open(user, { address: '', requestId: null, userAgent: null })).body.accessToken
  }
  const last = new Map<string, string>()
  const signedIn = async (person: Pick<Person, 'id'>): Promise<string> => {
    const before = last.get(person.id)
    if (before !== undefined && (await identity.authenticator.authenticate(before, PLATFORM.source))) return before
    const token = await fresh(person)
    last.set(person.id, token)
    return token
  }
  const world = { ...team, sharee: team.colleague, engine, signedIn }
  const apiToken = async (person: Person, scopes: readonly Scope[], more: object = {}) => {
    const body = { name: 'walk', scopes, ...more }
    const answer = await call(app, 'POST /tokens', { token: await fresh(person), body })
    return answer.json<{ id: string; token: string }>()
  }
  const all = (token: string): Pick<Asker, 'token'> => ({ token: () => Promise.resolve(token) })
  const gone = (name: string, token: string): Asker => ({ name, as: 'nobody', scope: null, ...all(token) })

  // These sign-ins and tokens are made now, and expire when the clock moves on by a day.
  const expiredSignIn = await fresh(team.owner)
  const expiredToken = await apiToken(team.owner, SCOPES, { expiresInDays: 1 })
  clock.advance(DAY_MS)
  const revoked = await apiToken(team.owner, SCOPES)
  await call(app, `DELETE /tokens/${revoked.id}`, { token: await fresh(team.owner) })
  const signedOut = await fresh(team.owner)
  await call(app, 'POST /auth/logout', { token: signedOut })
  const asAdmin = async (what: Call, body?: object) => call(app, what, { token: await fresh(admin), body })
  const leaving = async (name: string, role: Role, leave: (person: Person) => Promise<unknown>): Promise<Asker[]> => {
    const person = await addPerson(team, { ...admin, token: await fresh(admin) }, `${name}@example.org`, role)
    const tokens = [await fresh(person), (await apiToken(person, SCOPES)).token]
    await leave(person)
    return [gone(`a ${name} user`, tokens[0] ?? ''), gone(`the API token of a ${name} user`, tokens[1] ?? '')]
  }
  const left = [
    ...(await leaving('disabled', 'admin', ({ id }) => asAdmin(`PATCH /users/${id}`, { disabled: true }))),
    ...(await leaving('deleted', 'user', ({ id }) => asAdmin(`DELETE /users/${id}`))),
  ]

  const people = { stranger: team.stranger, sharee: team.colleague, owner: team.owner, admin }
  const askers: Asker[] = [
    { name: 'nobody', as: 'nobody', scope: null, token: () => Promise.resolve(undefined) },
    gone('a caller with an invalid token', 'nonsense'),
    gone('a caller with an expired access token', expiredSignIn),
    gone('a user who signed out', signedOut),
    gone('an API token that has expired', expiredToken.token),
    gone('an API token that was revoked', revoked.token),
    ...left,
    ...Object.entries(people).map(([who, person]): Asker => ({
      name: `the ${who}`,
      as: who as Who,
      scope: null,
      token: () => signedIn(person),
    })),
  ]
  for (const who of ['stranger', 'owner', 'admin'] as const)
    for (const scope of [
      ...SCOPES,
      'agents:write terminal',
      'tasks:write terminal',
      'tasks:read tasks:write',
    ] as const) {
      const { token } = await apiToken(people[who], scope.split(' ') as Scope[])
      askers.push({ name: `an API token of the ${who} with ${scope}`, as: who, scope, ...all(token) })
    }
  return { ...world, askers }
}

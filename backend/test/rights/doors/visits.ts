/** Browsers at the host name of a port: how each gets a ticket, and how some lose their right after that. */
import type { PortTicket } from '@slipway/protocol'
import { MINUTE_MS } from '../../../src/lib/time/clock.ts'
import { addPerson, type Call, call, signIn } from '../../support/people/people.ts'
import { Scene } from '../scene/scene.ts'
import type { World } from '../scene/world.ts'
import type { Visitor } from '../table/doors.ts'

export const PORT = 5173

/** A browser before it opens the port. */
export interface Visit {
  /** The address with a ticket; null where none is given. */
  readonly url: string | null
  /** Ends the right. */
  readonly lose?: () => Promise<unknown>
}

/** The ticket of a user. `base` is the path of the agent in the API. */
export const ticketOf = async (world: World, base: string, token: string | undefined, port = PORT): Promise<Visit> => {
  const answer = await call(world.app, `POST ${base}/ports/${port}/tickets` as Call, { token, body: {} })
  return { url: answer.statusCode === 201 ? answer.json<PortTicket>().url : null }
}

/** How each visitor comes to an agent, which the test gives it alone. */
export const VISITS: Readonly<Record<Visitor, (world: World, base: string) => Promise<Visit>>> = {
  'a visitor with a link': async (world, base) => (await linkOf(world, base)).open(),
  'a visitor with an expired link': async (world, base) => {
    const link = await linkOf(world, base)
    link.expire()
    return link.open()
  },
  'a visitor with a revoked link': async (world, base) => {
    const link = await linkOf(world, base)
    await link.revoke()
    return link.open()
  },
  'a visitor whose link has expired since': async (world, base) => {
    const link = await linkOf(world, base)
    return { ...(await link.open()), lose: () => Promise.resolve(link.expire()) }
  },
  'a visitor whose link was revoked since': async (world, base) => {
    const link = await linkOf(world, base)
    return { ...(await link.open()), lose: link.revoke }
  },
  'a visitor with a link of a user who lost the right': async (world, base) => {
    const admin = { ...world.admin, token: await world.signedIn(world.admin) }
    const second = await addPerson(world, admin, new Scene(world, 'owner').newEmail(), 'admin')
    const link = await linkOf(world, base, second.token)
    await call(world.app, `PATCH /users/${second.id}`, { token: admin.token, body: { role: 'user' } })
    return link.open()
  },
  'a browser with the right to another port': async (world, base) =>
    ticketOf(world, base, await world.signedIn(world.owner), PORT + 1),
  'a browser whose user has signed out': async (world, base) => {
    const { token } = await signIn(world, world.owner.email)
    return { ...(await ticketOf(world, base, token)), lose: () => call(world.app, 'POST /auth/logout', { token }) }
  },
  'a browser whose share was revoked': async (world, base) => {
    const token = await world.signedIn(world.owner)
    const lose = () => call(world.app, `DELETE ${base}/shares/${world.sharee.id}` as Call, { token })
    return { ...(await ticketOf(world, base, await world.signedIn(world.sharee))), lose }
  },
}

const MINUTES = 5

/** A link that the owner creates, if it is not another user's token. */
const linkOf = async (world: World, base: string, token?: string) => {
  const { app, clock, owner } = world
  const by = { token: token ?? (await world.signedIn(owner)) }
  const body = { expiresInMinutes: MINUTES }
  const made = await call(app, `POST ${base}/ports/${PORT}/links` as Call, { ...by, body })
  const { id, url } = made.json<{ id: string; url: string }>()
  const secret = new URL(url).hash.slice(1)
  return {
    open: async (): Promise<Visit> => {
      const answer = await call(app, 'POST /port-links/open', { body: { secret } })
      return { url: answer.statusCode === 201 ? answer.json<PortTicket>().url : null }
    },
    expire: () => clock.advance(MINUTES * MINUTE_MS),
    revoke: () => call(app, `DELETE ${base}/port-links/${id}` as Call, by),
  }
}

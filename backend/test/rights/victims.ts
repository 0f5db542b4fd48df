/** Users who lose a right, in an agent on the real engine, and the sockets that they have open. */
import { randomUUID } from 'node:crypto'
import type { Role, Scope } from '@slipway/protocol'
import { TerminalClient, until } from '@slipway/testing'
import { beforeAll } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import type { Listener } from '../support/server/listener.ts'
import { addPerson, type Call, call, type Person } from '../support/people/people.ts'
import { newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'

/** After a right is revoked, its sockets must close within this time, in milliseconds. */
export const CLOSED_WITHIN_MS = 10_000
export const AGENT = 'shared'

export const useVictims = () => {
  const engine = useEngine()
  const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
  let containerId: string

  /** Signs the user in now, because the clock of these tests moves far ahead. */
  const fresh = async ({ id }: Pick<Person, 'id'>) => {
    const user = await team().database.prisma.user.findUniqueOrThrow({ where: { id } })
    const opened = await team().identity.signIns.open(user, { address: '', requestId: '', userAgent: null })
    return { token: opened.body.accessToken, refreshToken: opened.refreshToken }
  }
  const as = async (who: Pick<Person, 'id'>, what: Call, body?: object) =>
    call(team().app, what, { token: (await fresh(who)).token, body })

  const sh = (script: string) => {
    const argv = ['sh', '-c', `cd && ${script}`]
    return engine.runtime.run(containerId, { argv, timeoutMs: 20_000, maxOutputBytes: 10_000 })
  }
  /** Runs a shell script in the agent, and resolves with its exit code. */
  const run = async (script: string): Promise<number | null> => (await sh(script)).exitCode

  beforeAll(async () => {
    await systemAgentSettled(team())
    await as(team().owner, 'POST /agents?wait=true', newAgent(AGENT))
    const found = await team().database.prisma.agent.findUniqueOrThrow({ where: { name: AGENT } })
    const container = await engine.runtime.find({ agentId: found.id, agentName: AGENT })
    containerId = container?.id ?? ''
  })

  return {
    team,
    fresh,
    as,
    asAdmin: (what: Call, body?: object) => as(team().admin, what, body),

    /** A user without access to the agent. */
    async stranger(role: Role = 'user'): Promise<Person> {
      const admin = { ...team().admin, ...(await fresh(team().admin)) }
      return addPerson(team(), admin, `${randomUUID()}@example.org`, role)
    },

    /** A token that may open terminals, read about agents, and transfer files. */
    async apiToken(person: Person): Promise<{ id: string; token: string }> {
      const scopes: Scope[] = ['terminal', 'agents:read']
      return (await as(person, 'POST /tokens', { name: 'ci', scopes, expiresInDays: 1 })).json()
    },

    async share({ email }: Person): Promise<void> {
      await as(team().owner, `POST /agents/${AGENT}/shares`, { email })
    },

    fileExists: async (name: string): Promise<boolean> => (await run(`test -e ~/${name}`)) === 0,
    run,
    /** What a shell script prints in the agent. */
    printed: async (script: string): Promise<string> => (await sh(script)).stdout.toString().trim(),
    processes: () => engine.runtime.processes(containerId),
  }
}

export type Victims = ReturnType<typeof useVictims>

/** Resolves with the close code and the message. Fails if the socket is still open after two seconds. */
export const end = async (socket: TerminalClient | Listener): Promise<{ code: number; message: unknown }> => {
  const seen: { code?: number } = {}
  void socket.closed.then((closed) => (seen.code = typeof closed === 'number' ? closed : closed.code))
  const code = await until('the close', () => seen.code, CLOSED_WITHIN_MS)
  const last = socket instanceof TerminalClient ? socket.frames.at(-1) : socket.events.at(-1)
  return { code, message: last && 'message' in last ? last.message : undefined }
}

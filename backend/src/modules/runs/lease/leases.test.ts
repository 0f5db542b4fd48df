import { randomUUID } from 'node:crypto'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { Leases, RESERVED_SECONDS } from './leases.ts'
import { type CliSession, LeaseRepository } from './repository.ts'

const team = useTeam()
const IN_USE = { code: 'SESSION_IN_USE' }

/**
 * Leases of a backend that has the processes of these sessions, in an agent of its own. `goneMs`: how long they wait for
 * processes that are being ended.
 */
const setup = async (goneMs?: number) => {
  const { database, owner } = team()
  const { prisma } = database
  const name = `a-${randomUUID().slice(0, 13)}`
  const { id: agentId } = (await as(team(), owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const session: CliSession = { agentId, cliSessionId: randomUUID() }
  const attended: string[] = []
  /** The sessions that this backend has ended, and whose end it could not record. */
  const unrecorded: string[] = []
  let now = 0
  let looks = 0
  const rows = new LeaseRepository(prisma)
  const holders: LeaseRepository['holders'] = async (...of) => {
    const found = await rows.holders(...of)
    looks += 1
    return found
  }
  const deps = {
    rows: { holders },
    attendance: { of: () => attended.map((sessionId) => ({ sessionId, leader: null })) },
    records: { isOver: (sessionId: string) => unrecorded.includes(sessionId) },
    clock: { now: () => now },
  }
  const leases = new Leases(deps, goneMs)
  const terminal = async (endedAt: Date | null = null): Promise<string> => {
    const row = { id: randomUUID(), ...session, userId: owner.id, mode: 'claude', endedAt }
    return (await prisma.terminalSession.create({ data: row })).id
  }
  const run = async (state: string): Promise<string> => {
    const id = randomUUID()
    const what = { provider: 'claude-code', prompt: 'hi', cwd: '/home/developer', timeoutSeconds: 300 }
    const of = { id, sessionId: id, agentId, agentName: name, userId: owner.id, resumed: session.cliSessionId }
    const endedAt = state === 'terminated' || state === 'completed' ? new Date() : null
    await prisma.codingRun.create({ data: { ...what, ...of, state, endedAt } })
    return id
  }
  /** A run that has ended, and whose session has no end. */
  const unendedSession = async (): Promise<string> => {
    const id = await run('terminated')
    await prisma.terminalSession.create({ data: { id, agentId, userId: owner.id, mode: 'task' } })
    return id
  }
  const end = async (id: string): Promise<unknown> =>
    prisma.terminalSession.update({ where: { id }, data: { endedAt: new Date() } })
  const forRun = (id: string = randomUUID()): Promise<string> =>
    leases.forRun({ id, agentId }, session.cliSessionId, () => Promise.resolve('stored'))
  const forTerminal = (userId: string = owner.id): Promise<string> =>
    leases.forTerminal(session, userId, () => Promise.resolve('stored'))
  const passes = (seconds: number): void => void (now += seconds * 1000)
  const waited = (): Promise<unknown> => until('a second look', () => looks > 1)
  return {
    ...{ owner, session, leases, attended, unrecorded, waited, terminal, run, unendedSession, end },
    ...{ forRun, forTerminal, passes },
  }
}

describe('the lease of a session of a CLI', () => {
  it('is free where no run and no terminal has it', async () => {
    const { forRun, forTerminal, run, terminal } = await setup()
    await run('completed')
    await terminal(new Date())
    expect(await Promise.all([forRun()])).toEqual(['stored'])
    expect(await forTerminal()).toBe('stored')
  })

  it.each(['starting', 'running', 'waiting'])('is held by a run that is %s', async (state) => {
    const { forRun, forTerminal, run } = await setup()
    const id = await run(state)
    await expect(forRun()).rejects.toMatchObject(IN_USE)
    await expect(forTerminal()).rejects.toMatchObject(IN_USE)
    expect(await forRun(id)).toBe('stored')
  })

  it('goes to a run in line before a terminal, and to the first of two runs in line', async () => {
    const { forRun, forTerminal, run } = await setup()
    await run('queued')
    await expect(forTerminal()).rejects.toMatchObject(IN_USE)
    expect(await forRun()).toBe('stored')
  })

  it('is held by a terminal until its row has an end, whichever backend began it', async () => {
    const { forRun, forTerminal, terminal, end } = await setup()
    const id = await terminal()
    await expect(forRun()).rejects.toMatchObject(IN_USE)
    await expect(forTerminal()).rejects.toMatchObject(IN_USE)
    await end(id)
    expect(await forRun()).toBe('stored')
  })

  it('is held by a run that was ended while no server followed it, until its program is ended', async () => {
    const { forRun, forTerminal, unendedSession, end } = await setup(0)
    const id = await unendedSession()
    await expect(forRun()).rejects.toMatchObject(IN_USE)
    await expect(forTerminal()).rejects.toMatchObject(IN_USE)
    await end(id)
    expect(await forRun()).toBe('stored')
    expect(await forTerminal()).toBe('stored')
  })

  it('is waited for until the program of such a run is ended, and then goes to the next one', async () => {
    const { forRun, unendedSession, end, waited } = await setup()
    const id = await unendedSession()
    const asked = forRun()
    await waited()
    await end(id)
    expect(await asked).toBe('stored')
  })

  it('is free once this server has ended the program, also if the database refused to record it', async () => {
    const { forRun, forTerminal, unendedSession, unrecorded } = await setup(0)
    unrecorded.push(await unendedSession())
    expect(await forRun()).toBe('stored')
    expect(await forTerminal()).toBe('stored')
  })

  it.each(['terminal', 'run'] as const)(
    'is waited for until the processes of a %s that has ended are gone',
    async (kind) => {
      const { forRun, terminal, run, attended } = await setup()
      attended.push(await (kind === 'terminal' ? terminal(new Date()) : run('terminated')))
      let isThere = true
      const asked = forRun().then((stored) => [stored, isThere])
      // Another one that asks meanwhile does not wait.
      await expect(forRun()).rejects.toMatchObject(IN_USE)
      isThere = false
      attended.length = 0
      expect(await asked).toEqual(['stored', false])
    },
  )

  it('is taken by one of two that ask at once', async () => {
    const { forRun, forTerminal } = await setup()
    const [run, terminal] = await Promise.allSettled([forRun(), forTerminal()])
    expect([run.status, terminal.status]).toEqual(['fulfilled', 'rejected'])
  })

  it('is kept for a user who was told to open its terminal, for a limited time', async () => {
    const { leases, session, owner, forRun, forTerminal, passes } = await setup()
    const other = randomUUID()
    expect(await leases.reserve(session, owner.id)).toBeNull()
    await expect(forRun()).rejects.toMatchObject(IN_USE)
    await expect(forTerminal(other)).rejects.toMatchObject(IN_USE)
    await expect(leases.reserve(session, other)).rejects.toMatchObject(IN_USE)
    passes(RESERVED_SECONDS - 1)
    await expect(forRun()).rejects.toMatchObject(IN_USE)
    passes(1)
    expect(await forRun()).toBe('stored')
  })

  it('is kept no longer once the terminal is there', async () => {
    const { leases, session, owner, forRun, forTerminal } = await setup()
    await leases.reserve(session, owner.id)
    await forTerminal()
    expect(await forRun()).toBe('stored')
  })

  it('leads its user to the terminal that has it, and no other user', async () => {
    const { leases, session, owner, terminal } = await setup()
    const id = await terminal()
    expect(await leases.reserve(session, owner.id)).toBe(id)
    await expect(leases.reserve(session, randomUUID())).rejects.toMatchObject(IN_USE)
  })
})

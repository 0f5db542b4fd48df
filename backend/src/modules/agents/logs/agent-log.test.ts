import { expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/database/test-database.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { Board } from '../state/board.ts'
import { AgentLog } from './agent-log.ts'
import { AgentLogRepository } from './repository.ts'

const AGENTS = 100

/** It has a single connection, so slow writes block all others. */
const database = useDatabase({ embedded: true })

it('leaves the database to others while it writes a line for each of very many agents', async () => {
  const { prisma, connections } = database()
  const settings = { runtime: 'bash', cpus: 1, memoryMb: 512 }
  await prisma.agent.createMany({ data: Array.from({ length: AGENTS }, (_, n) => ({ name: `a${n}`, ...settings })) })
  const agents = await prisma.agent.findMany({ select: { id: true } })
  const board = new Board(systemClock, new Signal())
  const agentLog = new AgentLog({
    repository: new AgentLogRepository(prisma),
    board,
    clock: systemClock,
    log: silentLog,
    recorded: new Signal(),
  })
  for (const { id } of agents) board.add(id)

  const order: string[] = []
  agentLog.recorded.on(() => order.push('line'))
  // None of the agents has a container, so each gets a line.
  board.load({ containers: [], homes: new Set() }, board.revision)
  await prisma.user.count()
  order.push('another user')
  expect(connections().waiting).toBeLessThanOrEqual(2)
  await agentLog.settled()

  expect(order.indexOf('another user')).toBeLessThan(5)
  expect(order.filter((entry) => entry === 'line')).toHaveLength(AGENTS)
})

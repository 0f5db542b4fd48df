import { randomUUID } from 'node:crypto'
import type { Conversation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { aCaller } from '../../../../test/support/people/callers.ts'
import { conversationIn } from '../../../../test/support/stored/conversations.ts'
import { useTeam } from '../../../../test/support/people/team.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { RunConversations } from '../../runs/lease/continue.ts'
import { type ConversationModuleDeps, createConversations } from '../conversations.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })

it('pages are told that a terminal takes a conversation, and that it has left, also in a stopped agent', async () => {
  const { id, prisma, owner, get } = await conversationIn(team(), { isBusy: false })
  const { agentId, cliSessionId } = await prisma.conversation.findUniqueOrThrow({ where: { id } })
  const session = { agentId: agentId!, cliSessionId: cliSessionId!, mode: 'claude', model: null, folder: '/' }
  const terminals = new RunConversations({
    leases: { forTerminal: (_session: object, _userId: string, open: () => Promise<unknown>) => open() },
    freed: () => undefined,
  } as unknown as ConstructorParameters<typeof RunConversations>[0])
  const errors: unknown[] = []
  const { news } = createConversations({
    ...{ prisma, audit: {}, metrics: new Registry(), credentials: {}, runtime: {} },
    // The agent does not run, so what was said in the terminal cannot be read yet.
    agents: { repository: { byId: () => Promise.resolve({}) }, agents: { snapshot: () => ({ runningId: null }) } },
    runs: {
      conversations: terminals,
      runs: {},
      repository: {},
      planner: {},
      news: new Signal(),
      untaken: new Signal(),
    },
    ...{
      clock: team().clock,
      newId: randomUUID,
      log: silentLog,
      onListenerError: (error: unknown) => errors.push(error),
    },
  } as unknown as ConversationModuleDeps)
  const told: Conversation['activity'][] = []
  news.on(({ event }) => {
    if (event.type === 'conversation:changed' && event.conversation.id === id) told.push(event.conversation.activity)
  })
  const terminal = { id: randomUUID(), agentId, userId: owner.id, mode: 'claude', personal: false, cliSessionId }
  const caller = { ...aCaller(), userId: owner.id }
  await terminals.take(session, { caller }, () =>
    prisma.terminalSession.create({ data: { ...terminal, agentId: agentId! } }),
  )
  await until('the start of the terminal to be told', () => told.at(-1) === 'terminal')
  await prisma.terminalSession.update({ where: { id: terminal.id }, data: { endedAt: new Date() } })
  terminals.freed(session)
  await until('the end of the terminal to be told', () => told.at(-1) === 'idle')
  expect((await get()).activity).toBe('idle')
  expect(errors).toEqual([])
})

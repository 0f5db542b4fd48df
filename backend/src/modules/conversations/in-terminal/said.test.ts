import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { storedConversation } from '../../../../test/support/stored/conversations.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import type { Said } from '../../runs/lease/words/said.ts'
import type { InTerminal } from '../../runs/lease/words/words.ts'
import { ConversationRepository } from '../repository.ts'
import { SaidInTerminal } from './said.ts'
import { TerminalWordsRepository } from './repository.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const WORDS: readonly Said[] = [
  { at: Date.parse('2030-01-01T10:00:00Z'), text: 'Look again.', answer: 'I see it.' },
  { at: Date.parse('2030-01-01T10:01:00Z'), text: 'And?', answer: null },
]

/** A conversation of the owner with a message that waits, and a terminal that has had its session. */
const setUp = async (said: readonly Said[] | null, { personal = false } = {}) => {
  const { owner, database } = team()
  const { prisma } = database
  const agentName = `a-${randomUUID().slice(0, 13)}`
  await as(team(), owner)('POST /agents?wait=true', newAgent(agentName))
  const { id } = await storedConversation(prisma, { agentName, userId: owner.id, isBusy: true })
  const cliSessionId = randomUUID()
  const { agentId } = await prisma.conversation.update({ where: { id }, data: { cliSessionId } })
  const terminal = { id: randomUUID(), agentId: agentId!, userId: owner.id, mode: 'claude', personal, cliSessionId }
  const now = Date.now()
  const times = { startedAt: new Date(now - 60_000), endedAt: new Date(now + 1_000) }
  await prisma.terminalSession.create({ data: { ...terminal, ...times } })
  const asked: InTerminal[] = []
  const terminals = new TerminalWordsRepository(prisma)
  const reader = new SaidInTerminal({
    ...{
      conversations: new ConversationRepository(prisma),
      terminals,
      newId: randomUUID,
      log: { warn: () => undefined },
    },
    words: { of: (session) => Promise.resolve((asked.push(session), said)) },
  })
  const messages = () => prisma.conversationMessage.findMany({ where: { conversationId: id }, orderBy: { seq: 'asc' } })
  const unread = async () => terminals.unread(await prisma.conversation.findUniqueOrThrow({ where: { id } }))
  return { id, cliSessionId, times, reader, asked, unread, messages, owner }
}

describe('what was said in a terminal', () => {
  it('is in the conversation once, before the messages that wait', async () => {
    const { id, cliSessionId, times, reader, asked, unread, messages, owner } = await setUp(WORDS)
    expect(await unread()).toMatchObject({ endedAt: times.endedAt })
    expect(await Promise.all([reader.read(id), reader.read(id)])).toHaveLength(2)
    expect(await reader.read(id)).toBe(false)
    expect(await unread()).toBeNull()
    expect(asked[0]).toMatchObject({ cliSessionId, from: times.startedAt, to: times.endedAt })
    const shown = (await messages()).map(({ text, answer, state, userId }) => [text, answer, state, userId])
    expect(shown).toEqual([
      ['hi', null, 'sent', owner.id],
      ['Look again.', 'I see it.', 'terminal', owner.id],
      ['And?', null, 'terminal', owner.id],
      ['and then', null, 'queued', owner.id],
    ])
  })

  it('comes later if the agent does not run', async () => {
    const { id, reader, unread, messages } = await setUp(null)
    expect(await reader.read(id)).toBe(false)
    expect(await unread()).not.toBeNull()
    expect(await messages()).toHaveLength(2)
  })

  it('stays with its user if the terminal had a credential of theirs', async () => {
    const { id, reader, asked, messages } = await setUp(WORDS, { personal: true })
    expect(await reader.read(id)).toBe(true)
    expect([asked, (await messages()).length]).toEqual([[], 2])
  })
})

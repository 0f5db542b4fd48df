import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Conversation, ConversationMessage, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { conversationIn, type HowStored, refusal } from '../../../test/support/stored/conversations.ts'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { addPerson } from '../../../test/support/people/people.ts'
import { as, useTeam } from '../../../test/support/people/team.ts'
import { TranscriptWriter } from '../runs/transcript/file.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })

const setUp = (how?: HowStored) => conversationIn(team(), how)

describe('a session of a CLI', () => {
  it('that the CLI has forgotten is followed by a new one, and the person and the CLI are told so', async () => {
    const { ends, settled, get, begin } = await setUp()
    await ends({ state: 'failed', reason: 'session_lost', error: 'It is gone.' })
    await settled()
    expect((await get()).error).toContain('The next message begins a new session, which does not know what was said')
    const run = await begin('do you remember?')
    expect(run.resumed).toBeNull()
    expect(run.prompt).toMatch(/^Your earlier session of this conversation is gone.*\n\ndo you remember\?$/)
  })

  it('goes on in a terminal, also after a turn that was ended while it waited in line', async () => {
    const { call, runId, get, begin, settled } = await setUp({ isBusy: false })
    const { id: inLine } = await begin('too much')
    await call(`DELETE /coding-agents/sessions/${inLine}`)
    const after = await until('the end of the turn', async () => {
      const conversation = await get()
      return conversation.activity === 'idle' && conversation.currentRunId === null && conversation
    })
    expect(after).toMatchObject({ lastRunId: inLine, resumeRunId: runId })
    expect((await settled()).resumeRunId).toBe(runId)
    expect(refusal(await call(`POST /coding-agents/sessions/${inLine}/terminal`))).toEqual([409, 'WRONG_STATE'])
    const offered = await call(`POST /coding-agents/sessions/${after.resumeRunId}/terminal`)
    expect(offered.json()).toMatchObject({ cliSessionId: after.cliSessionId, page: expect.stringContaining(runId) })
  })

  it('is forked by a CLI that can, and the first conversation stays as it is', async () => {
    const { call, path, id, runId, prisma, get, runOf } = await setUp({ isBusy: false })
    const before = await get()
    expect(before.canFork).toBe(true)
    const fork = (await call(`POST ${path}/fork`, { title: 'Another way' })).json<Conversation>()
    expect(fork).toMatchObject({
      ...{ title: 'Another way', forkedFrom: id, cwd: before.cwd, cliSessionId: null, turns: 0 },
    })
    const sent = await call(`POST /conversations/${fork.id}/messages`, { text: 'another way' })
    const run = await runOf(sent.json<ConversationMessage>())
    expect(run).toMatchObject({ resumed: before.cliSessionId, forks: true })
    expect(await get()).toEqual(before)
    await prisma.conversation.update({ where: { id }, data: { provider: 'gemini-cli' } })
    expect(refusal(await call(`POST ${path}/fork`, {}))).toEqual([409, 'CANNOT_FORK'])
    expect(runId).toBe(before.lastRunId)
  })

  it('that was forgotten is told of again if the next turn was ended before it began a session', async () => {
    const { ends, settled, begin, call } = await setUp()
    await ends({ state: 'failed', reason: 'session_lost', error: 'It is gone.' })
    await settled()
    const first = await begin('do you remember?')
    await call(`DELETE /coding-agents/sessions/${first.id}`)
    expect((await begin('and now?')).prompt).toMatch(/^Your earlier session .* is gone.*\n\nand now\?$/)
  })

  it('goes on after a first turn that was interrupted while no server followed it', async () => {
    const { call, path, runId, prisma, messageId, runOf, queue } = await setUp()
    const { cliSessionId } = await prisma.codingRun.update({
      where: { id: runId },
      data: { state: 'running', continuesAt: null, startedAt: new Date() },
    })
    const writer = await TranscriptWriter.begin(join(team().dataDir, 'transcripts'), runId, {
      ...{ generation: 1, after: null },
    })
    const event: RunEvent = { seq: 4, at: new Date().toISOString(), type: 'text', text: 'I begin.' }
    const from = { at: Date.now(), raw: 'I begin.', isCut: false, from: 'stdout' } as const
    await writer.append([{ ...from, offsets: { stdout: 9, stderr: 0 }, events: [event] }])
    await writer.close()
    expect((await call(`POST ${path}/interrupt`)).statusCode).toBe(202)
    expect(await runOf({ id: messageId })).toMatchObject({ prompt: 'and then', resumed: cliSessionId })
    expect(await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ lastSeq: 4 })
    expect(await queue()).toEqual([])
  })

  it('goes on after the user of its last turn was deleted, also in a fork', async () => {
    const { call, path, agentName, prisma, begin, runOf, settled } = await setUp({ isBusy: false })
    const guest = await addPerson(team(), team().admin, `guest-${randomUUID()}@example.org`)
    await call(`POST /agents/${agentName}/shares`, { email: guest.email })
    const sent = (
      await as(team(), guest)(`POST ${path}/messages`, { text: 'of the guest' })
    ).json<ConversationMessage>()
    const { id: lastRunId } = await runOf(sent)
    const cliSessionId = randomUUID()
    await prisma.codingRun.update({
      where: { id: lastRunId },
      data: { state: 'completed', reason: 'completed', endedAt: new Date(), lastSeq: 3, cliSessionId },
    })
    await until('the end of the turn', async () => (await settled()).resumeRunId === lastRunId)
    expect((await as(team(), team().admin)(`DELETE /users/${guest.id}`)).statusCode).toBe(204)
    expect(await prisma.codingRun.count({ where: { id: lastRunId } })).toBe(0)
    const fork = (await call(`POST ${path}/fork`, {})).json<Conversation>()
    const other = await call(`POST /conversations/${fork.id}/messages`, { text: 'another way' })
    expect(await runOf(other.json())).toMatchObject({ resumed: cliSessionId, forks: true })
    expect(await begin('go on')).toMatchObject({ prompt: 'go on', resumed: cliSessionId, forks: false })
  })
})

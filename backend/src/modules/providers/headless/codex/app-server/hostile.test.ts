import { EVENT_TEXT_MAX } from '@slipway/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  after,
  command,
  completed,
  item,
  newReading,
  repliesTo,
  request,
  START,
  told,
  tokens,
} from '../../../../../../test/support/headless/codex-app-server.ts'
import { feed, HOSTILE_VALUES, NOW, readBy } from '../../../../../../test/support/headless/reading.ts'

const METHODS = [
  ...['item/commandExecution/requestApproval', 'item/fileChange/requestApproval', 'item/tool/requestUserInput'],
  ...['mcpServer/elicitation/request', 'constructor'],
]

describe('hostile lines of the app server of Codex', () => {
  it('have no effect if their fields have other types', () => {
    const { happenings, verdict } = readBy(newReading(), [
      ...['', 'null', '[]', '7', '{', '{"method":7}', '{"method":"constructor"}', '{"id":"slipway-thread"}'],
      { id: 'slipway-thread', result: { thread: { id: '--last' } } },
      { id: 'slipway-turn', result: { turn: { id: ['x'] } } },
      { method: 'turn/completed', params: { turn: { id: null, status: 'completed' } } },
      { method: 'item/completed', params: { item: [] } },
      { method: 'error', params: [] },
    ])
    expect(verdict).toMatchObject({ sessionId: null, result: null, isOver: false, hasWorked: false })
    expect(happenings).toMatchObject([{ type: 'error', message: 'The turn failed.' }])
  })

  it.each(HOSTILE_VALUES)('are read whatever a field of a question is (%#)', (value) => {
    const fields = { itemId: value, command: value, cwd: value, questions: value, requestedSchema: value, _meta: value }
    const lines = METHODS.map((method, id) => request(id, method, { mode: 'form', message: value, ...fields }))
    const changes = item('started', {
      type: 'fileChange',
      id: 'call-p',
      changes: [{ path: value, kind: value, diff: value }],
    })
    const reading = after(changes, ...lines, request(9, METHODS[1]!, { itemId: 'call-p', reason: value }))
    for (const ask of reading.asks()) {
      expect(JSON.stringify(ask.question).length).toBeLessThan(3 * EVENT_TEXT_MAX)
      expect(repliesTo(ask, null)).toHaveLength(1)
    }
  })

  it('never break the reader, whatever JSON they are', () => {
    const lines = [...START, command(0), tokens(), told('warning', { message: 'x' }), completed()]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.json(), fc.constantFrom(...lines.map((line) => JSON.stringify(line))))),
        (mixed) => {
          const reading = newReading()
          feed(reading, ...mixed)
          for (const { line } of reading.messages()) expect(line).not.toContain('\n')
        },
      ),
    )
  })

  it('cannot fill the memory with requests that are refused', () => {
    const reading = after(...Array.from({ length: 1_000 }, (_, id) => request(id, 'item/tool/call', {})))
    expect(reading.messages().length).toBeLessThanOrEqual(100)
  })

  it('cannot name another session or turn later', () => {
    const reading = after()
    const { sessionId } = reading.verdict()
    const before = reading.interruption()
    reading.line('{"id":"slipway-thread","result":{"thread":{"id":"other"}}}', NOW)
    reading.line(JSON.stringify(told('turn/started', { turn: { id: 'other' } })), NOW)
    expect(reading.verdict().sessionId).toBe(sessionId)
    expect(reading.interruption()).toBe(before)
  })

  it('give one result, however often they say that the turn is over', () => {
    const answer = item('completed', { type: 'agentMessage', id: 'm', text: 'Done.' })
    const { happenings } = readBy(newReading(), [...START, answer, completed(), completed()])
    expect(happenings.filter(({ type }) => type === 'result')).toHaveLength(1)
  })
})

import { randomUUID } from 'node:crypto'
import { PATIENTLY } from '@slipway/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { scriptedSession } from '../../../../../test/support/scripted/session.ts'
import { silentLog } from '../../../../lib/log.ts'
import { disconnected } from '../../../sessions/ending.ts'
import { Mirrors } from './mirrors.ts'

const ASK = '\x1b[5n'
const ANSWER = '\x1b[0n'

const follow = () => {
  const mirrors = new Mirrors(silentLog)
  onTestFinished(() => mirrors.close())
  const { pty, session } = scriptedSession({ id: randomUUID(), answers: true })
  const mirror = mirrors.open(session)
  session.observe(mirror)
  onTestFinished(() => session.end(disconnected))
  return { pty, parsed: () => vi.waitFor(() => expect(mirror.backlog).toBe(0), { ...PATIENTLY, interval: 5 }) }
}

it('answers each query of a program whose user is away', async () => {
  const { pty, parsed } = follow()
  pty.print(`a${ASK}`)
  await parsed()
  pty.print(`b${ASK}${ASK}`)
  await parsed()
  expect(pty.written.join('')).toBe(ANSWER.repeat(3))
})

it('answers a flood of queries with no more than a terminal holds, in few messages', async () => {
  const { pty, parsed } = follow()
  pty.print(ASK.repeat(16_384))
  await parsed()
  expect(pty.written.length).toBeLessThan(10)
  const all = pty.written.join('')
  expect(all.replaceAll(ANSWER, '')).toBe('')
  expect(all.length).toBeGreaterThan(0)
  expect(all.length).toBeLessThanOrEqual(10 * 4096)
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { blindViewer } from '../../../../test/support/terminals/blind.ts'
import { scriptedSession } from '../../../../test/support/scripted/session.ts'
import { systemClock } from '../../../lib/time/clock.ts'
import { createIds } from '../../../lib/ids.ts'
import { silentLog } from '../../../lib/log.ts'
import { disconnected } from '../../sessions/ending.ts'
import type { Slot } from '../registry.ts'
import { RecordingFiles } from './files.ts'
import { Recorder } from './recorder.ts'

const SECRET = 'ghp_canary_set_while_it_opened'

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-recorder-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

/**
 * Records a session of an agent with these settings. `asked` has each request for its secrets, `changes` each agent
 * that was reported as changed.
 */
const record = ({ known = [] as readonly string[], maxBytes = 1e6, recordInput = false } = {}) => {
  const files = new RecordingFiles(dataDir)
  const asked: Promise<string[]>[] = []
  const changes: string[] = []
  const over = Promise.withResolvers<undefined>()
  const recorder = new Recorder({
    repository: { create: () => Promise.resolve(), ended: () => Promise.resolve() } as never,
    files,
    provisioner: {
      taskSecrets: () => {
        const answer = Promise.resolve([...known])
        asked.push(answer)
        return answer
      },
    },
    limits: { maxBytes, minFreeBytes: 0 },
    clock: systemClock,
    log: silentLog,
    agentLog: { record: () => undefined },
    changed: (agentId) => void changes.push(agentId),
    ended: () => over.resolve(undefined),
  })
  const sessionId = createIds(systemClock)()
  const row = { id: 'a', name: 'a', record: true, recordInput }
  const slot = { sessionId, mode: 'bash', caller: { userId: 'ann', email: 'ann@example.org' }, row } as Slot
  return {
    recorder,
    slot,
    asked,
    changes,
    over: over.promise,
    cast: () => readFileSync(files.pathOf(sessionId), 'utf8'),
  }
}

describe('a recording', () => {
  it('does not show a credential that was set while its session was being opened', async () => {
    const known: string[] = []
    const { recorder, slot, asked, over, cast } = record({ known })
    const prepared = await recorder.begin(slot)
    known.push(SECRET)

    const { pty, session } = scriptedSession()
    prepared!(session)
    await asked[1]
    pty.print(`<${SECRET}>`)
    session.end(disconnected)
    await over
    await recorder.close()
    expect(cast()).toContain('<***>')
    expect(cast()).not.toContain('canary')
  })

  it('is known to each user in its session: from the first byte on, without keys, and when it ends early', async () => {
    const { recorder, slot, changes, over } = record({ recordInput: true, maxBytes: 10_000 })
    const { pty, session } = scriptedSession()
    ;(await recorder.begin(slot))!(session)
    expect(session.recorded).toBe('output_and_input')
    const told: string[] = []
    const guest = { name: 'bob@example.org', isHolder: false, mayControl: true, handsOver: () => Promise.resolve() }
    session.attach(blindViewer({ recorded: (parts) => void told.push(parts) }), 0, guest)
    recorder.settingsChanged('a', { record: true, recordInput: true })
    recorder.settingsChanged('a', { record: true, recordInput: false })
    expect([told, changes]).toEqual([['output'], ['a']])
    pty.print('x'.repeat(20_000))
    await over
    expect([told, session.recorded, session.ending]).toEqual([['output', 'nothing'], 'nothing', null])
    session.end(disconnected)
    await recorder.close()
  })
})

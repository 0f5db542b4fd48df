import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { scriptedSession } from '../../../../test/support/scripted-session.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createIds } from '../../../lib/ids.ts'
import { silentLog } from '../../../lib/log.ts'
import { serverStopping } from '../ending.ts'
import type { Slot } from '../registry.ts'
import { RecordingFiles } from './files.ts'
import { Recorder } from './recorder.ts'

const SECRET = 'ghp_canary_set_while_it_opened'

const dataDir = mkdtempSync(join(tmpdir(), 'slipway-test-recorder-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

describe('a recording', () => {
  it('does not show a credential that was set while its session was being opened', async () => {
    const files = new RecordingFiles(dataDir)
    const known: string[] = []
    const asked: Promise<string[]>[] = []
    const over = Promise.withResolvers<string>()
    const recorder = new Recorder({
      repository: { create: () => Promise.resolve(), ended: () => Promise.resolve() } as never,
      files,
      provisioner: {
        secrets: () => {
          const answer = Promise.resolve([...known])
          asked.push(answer)
          return answer
        },
      },
      limits: { maxBytes: 1e6, minFreeBytes: 0 },
      clock: systemClock,
      log: silentLog,
      journal: () => undefined,
      changed: over.resolve,
      ended: () => undefined,
    })
    const sessionId = createIds(systemClock)()
    const row = { id: 'a', name: 'a', record: true, recordInput: false }
    const slot = { sessionId, mode: 'bash', caller: { userId: 'ann', email: 'ann@example.org' }, row } as Slot
    const prepared = await recorder.begin(slot)
    known.push(SECRET)

    const { pty, session } = scriptedSession()
    prepared!(session)
    await asked[1]
    pty.print(`<${SECRET}>`)
    session.end(serverStopping)
    await over.promise
    await recorder.close()
    const cast = readFileSync(files.pathOf(sessionId), 'utf8')
    expect(cast).toContain('<***>')
    expect(cast).not.toContain('canary')
  })
})

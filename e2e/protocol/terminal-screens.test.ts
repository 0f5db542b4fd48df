/** What a page shows that is opened anew, by somebody who has nothing of it, after its server was stopped or killed. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '@slipway/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Client, signInAdmin } from '../support/api.ts'
import { newDataDir } from '../support/data-dir.ts'
import { removeNamespace } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { Shown, type Size } from '../support/shown.ts'
import { disconnectAll } from '../support/terminal.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: 240_000 })

const SIZE: Size = { cols: 100, rows: 30 }
/** Sets everything first, then draws more over it than any container keeps of its output, and then what is typed. */
const DRAW = String.raw`
seq -f 'line %g of what was there before' 400
printf '\e]2;the title\a\e[?2004h\e[?1h\e=\e[?1003h\e[?1006h\e[5 q\e[1;31m'
printf '\e[?1049h\e[2J\e[3;20r\e[?25l\e(0'
for n in $(seq 25000); do
  printf '\e[%d;%dH\e[4%dm%07d some words that are drawn over and over' $((n % 18 + 3)) $((n % 40 + 1)) $((n % 8)) $n
done
printf '\e(B\e[25;1Hdrawn'
while read -r line; do printf '\e[26;1H[%s]' "$line"; done
`

let namespace: string
let dataDir: string
let server: Server
let admin: Client
let agent: Agent

const start = async (): Promise<void> => {
  server = await startServer({ namespace, dataDir })
  admin = admin.at(server.baseUrl)
}
beforeAll(async () => {
  namespace = newNamespace()
  dataDir = newDataDir()
  server = await startServer({ namespace, dataDir })
  admin = await signInAdmin(server.baseUrl)
})
afterEach(async () => {
  await disconnectAll()
  await admin.ok('DELETE', `/agents/${agent.name}`)
})
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

const open = (size = SIZE): Promise<Shown> => Shown.open(admin, agent.name, size)
const shows = (page: Shown, what: string): Promise<boolean> =>
  until(`the page to show ${what}`, () => page.text.includes(what))
const keptOf = ({ sessionId }: Shown, part = 'screen'): string => join(dataDir, 'screens', `${sessionId}.${part}`)
const types = async (page: Shown, line: string): Promise<void> => {
  page.client.type(`${line}\r`)
  await shows(page, `[${line}]`)
}
const begin = async (): Promise<Shown> => {
  agent = await admin.agent({ runtime: 'bash', keepSeconds: 300 })
  await admin.upload(agent.name, 'draw.sh', DRAW)
  const page = await open()
  page.client.type('exec bash draw.sh\r')
  await shows(page, 'drawn')
  return page
}
const stop = async (signal: 'SIGKILL' | 'SIGTERM', { client }: Shown): Promise<void> => {
  server.process.kill(signal)
  await client.closed
  await until('the server to end', () => server.process.exitCode !== null || server.process.signalCode !== null)
}
const isSame = async (before: Shown, size = SIZE): Promise<void> => {
  const after = await open(size)
  await expect.poll(() => after.differences(before)).toEqual([])
  expect(after.emulator.terminal.buffer.active.type).toBe('alternate')
  expect(after.emulator.terminal.buffer.normal.length).toBeGreaterThan(400)
  expect(after.emulator.terminal.modes).toMatchObject({ bracketedPasteMode: true, mouseTrackingMode: 'any' })
  await types(after, 'afterwards')
}

describe('a page that is opened anew', () => {
  it('shows the same, cell by cell, after its server was killed', async () => {
    const before = await begin()
    await until('the screen to be kept', () => existsSync(keptOf(before)))
    await types(before, 'a line that no screen was kept of')
    await stop('SIGKILL', before)
    await start()
    await isSame(before)
  })

  it('shows the same, cell by cell, after its server was stopped, with what came last', async () => {
    const before = await begin()
    await types(before, 'a line before the end')
    await stop('SIGTERM', before)
    await start()
    await isSame(before)
  })

  it('shows the same where the size changed after its screen was kept', async () => {
    const before = await begin()
    await until('the screen to be kept', () => existsSync(keptOf(before)))
    const smaller = { cols: 70, rows: 28 }
    before.resize(smaller)
    await until('the size to be kept', () => existsSync(keptOf(before, 'sizes')))
    await types(before, 'in a smaller window')
    await stop('SIGKILL', before)
    await start()
    await isSame(before, smaller)
  })

  it('shows what is left, and the server is well, where what was kept is no use', async () => {
    const before = await begin()
    await until('the screen to be kept', () => existsSync(keptOf(before)))
    await stop('SIGKILL', before)
    writeFileSync(keptOf(before), 'no screen of ours')
    await start()
    const after = await open()
    await types(after, 'afterwards')
    expect(server.output()).toContain('a kept screen is of no use')
  })
})

describe('what is kept of a screen', () => {
  it('is for the server alone, and goes with its session', async () => {
    const before = await begin()
    await until('the screen to be kept', () => existsSync(keptOf(before)))
    expect(statSync(keptOf(before)).mode & 0o777).toBe(0o600)
    await before.client.disconnect()
    await until('it to be gone', () => !existsSync(keptOf(before)))
    const after = await open()
    after.client.type('exec bash draw.sh\r')
    await until('the screen to be kept', () => existsSync(keptOf(after)))
    await stop('SIGKILL', after)
    const { sessionId } = after
    writeFileSync(join(dataDir, 'screens', `${crypto.randomUUID()}.screen`), 'of a session that is gone')
    await start()
    await until('the stray to be gone', () =>
      readdirSync(join(dataDir, 'screens')).every((name) => name.startsWith(sessionId)),
    )
    // As in `afterEach`, which would find none.
    await admin.ok('DELETE', `/agents/${agent.name}`)
    await until('all of it to be gone', () => readdirSync(join(dataDir, 'screens')).length === 0)
    agent = await admin.agent({ runtime: 'bash' })
  })
})

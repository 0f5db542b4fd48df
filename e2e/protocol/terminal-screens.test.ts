/** The screen of a page that is opened for the first time after its server was stopped or killed. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { disconnectAll, newDataDir, until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createEmulator } from '@slipway/emulator/headless'
import { written } from '@slipway/emulator/testing'
import { type Client, signInAdmin } from '../support/api.ts'
import { removeNamespace, runIn } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { Shown, type Size } from '../support/terminal/shown.ts'

vi.setConfig({ testTimeout: 240_000 })

const SIZE: Size = { cols: 100, rows: 30 }
const SMALLER: Size = { cols: 70, rows: 28 }
/** Longest time for several programs that draw in parallel, in milliseconds. */
const DRAWN_WITHIN_MS = 120_000
/** Sets every mode first, then draws more than any container keeps of its output, then echoes the input. */
const DRAW = String.raw`
seq -f 'line %g of what was there before' 400
printf '\e]2;the title\a\e[?2004h\e[?1h\e=\e[?1003h\e[?1006h\e[5 q\e[1;31m'
printf '\e[?1049h\e[2J\e[3;20r\e[?25l\e(0'
python3 -c '
for n in range(1, 25001):
    print("\033[%d;%dH\033[4%dm%07d some words that are drawn over and over" % (n % 18 + 3, n % 40 + 1, n % 8, n), end="")
'
printf '\e(B\e[25;1Hdrawn'
while read -r line; do printf '\e[26;1H[%s]' "$line"; done
`

let namespace: string
let dataDir: string
let server: Server
let admin: Client

const start = async (): Promise<void> => {
  server = await startServer({ namespace, dataDir })
}
beforeAll(async () => {
  namespace = newNamespace()
  dataDir = newDataDir()
  await start()
  admin = await signInAdmin(server.baseUrl)
})
afterEach(disconnectAll)
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

/** A page, and the agent whose terminal it shows. */
interface Seen {
  readonly agent: string
  readonly page: Shown
}
const open = (agent: string, size = SIZE): Promise<Shown> => {
  const { baseUrl, token } = admin
  return Shown.open({ baseUrl, path: `/agents/${agent}/terminal?mode=bash` }, { token }, { size })
}
const shows = (page: Shown, what: string, withinMs?: number): Promise<boolean> =>
  until(`the page to show ${what}`, () => page.text.includes(what), withinMs)
const kept = (): string[] => readdirSync(join(dataDir, 'screens'))
const keptOf = ({ page }: Seen, part = 'screen'): string => join(dataDir, 'screens', `${page.sessionId}.${part}`)
const isKept = (seen: Seen): Promise<boolean> => until('the screen to be kept', () => existsSync(keptOf(seen)))
const types = async (page: Shown, line: string): Promise<void> => {
  page.client.type(`${line}\r`)
  await shows(page, `[${line}]`)
}
const drawn = async (): Promise<Seen> => {
  const { name: agent } = await admin.agent({ runtime: 'bash', keepSeconds: 300 })
  await admin.upload(agent, 'draw.sh', DRAW)
  const page = await open(agent)
  page.client.type('exec bash draw.sh\r')
  await shows(page, 'drawn', DRAWN_WITHIN_MS)
  return { agent, page }
}
/** Ends the server. Another one continues with the state that `meanwhile` leaves. */
const restart = async (
  signal: 'SIGKILL' | 'SIGTERM',
  seen: readonly Seen[],
  meanwhile: () => void | Promise<void> = () => {},
): Promise<void> => {
  server.process.kill(signal)
  await Promise.all(seen.map(({ page }) => page.client.closed))
  await until('the server to end', () => server.process.exitCode !== null || server.process.signalCode !== null)
  await meanwhile()
  await start()
  admin = admin.at(server.baseUrl)
}
const isSame = async (before: Seen, size = SIZE): Promise<void> => {
  const after = await open(before.agent, size)
  await expect.poll(() => after.differences(before.page)).toEqual([])
  expect(after.emulator.terminal.buffer.active.type).toBe('alternate')
  expect(after.emulator.terminal.buffer.normal.length).toBeGreaterThan(400)
  expect(after.emulator.terminal.modes).toMatchObject({ bracketedPasteMode: true, mouseTrackingMode: 'any' })
  await types(after, 'afterwards')
}

describe('backend kill -9 with terminals open: afterwards a page that is opened anew', () => {
  let before: Seen
  let resized: Seen
  let spoiled: Seen
  let unvisited: Seen

  beforeAll(async () => {
    const all = await Promise.all([drawn(), drawn(), drawn(), drawn()])
    ;[before, resized, spoiled, unvisited] = all
    await Promise.all(all.map(isKept))
    await types(before.page, 'a line that no screen was kept of')
    // The first size is stored from the start. Each change replaces the file.
    const first = statSync(keptOf(resized, 'sizes')).ino
    resized.page.resize(SMALLER)
    await until('the size to be kept', () => statSync(keptOf(resized, 'sizes')).ino !== first)
    await types(resized.page, 'in a smaller window')
    await restart('SIGKILL', all, () => {
      writeFileSync(keptOf(spoiled), 'no screen of ours')
      writeFileSync(join(dataDir, 'screens', `${crypto.randomUUID()}.screen`), 'of a session that is gone')
    })
  })

  it('shows the same, cell by cell', () => isSame(before))

  it('shows the same where the size changed after its screen was kept', () => isSame(resized, SMALLER))

  it('shows what is left, and the server is well, where what was kept is no use', async () => {
    await types(await open(spoiled.agent), 'afterwards')
    expect(server.output()).toContain('a kept screen is of no use')
  })

  it('has nothing kept of sessions that are gone, nor of an agent that is deleted', async () => {
    await until('those to be gone', () => kept().every((name) => name.startsWith(unvisited.page.sessionId)))
    expect(kept()).not.toEqual([])
    await admin.ok('DELETE', `/agents/${unvisited.agent}`)
    await until('all of it to be gone', () => kept().length === 0)
  })
})

/**
 * Output of programs. Either the screen and the scrollback hold more than a container keeps, or the position of the
 * drawing is unknown.
 */
const FLOODS: Record<string, (n: number) => string> = {
  'lines that are not read': (n) => `${n} ${'漢字'.repeat(24)}\r\n`,
  'lines of many colours': (n) =>
    `${[1, 2, 3, 4, 5, 6].map((at) => `\x1b[1;3${(n + at) % 8}m${n}\x1b[0m of `).join('')}\r\n`,
  'a screen that is drawn over and over': (n) => `\x1b[${(n % 29) + 1};${(n % 60) + 1}H\x1b[4${n % 8}m漢 word ${n}`,
}
const TRIED = Object.entries(FLOODS)
const FLOOD_START = '\x1bc\x1b]2;a flood\x07\x1b[?2004h'
/** Lines or drawings between two checks of the file that ends the program. The title reports their number. */
const PIECES = 1000
const endOf = (texts: number): string => `\x1b]2;${texts} texts\x07`
/** Output of each program when the server is killed, in bytes. */
const KILLED_AT = 4_000_000
const FLOOD = (piece: (n: number) => string): string => `
  let texts = 0
  process.stdout.write(${JSON.stringify(FLOOD_START)})
  for (let n = 0; !require('fs').existsSync('enough'); texts++)
    process.stdout.write(Array.from({ length: ${PIECES} }, () => (${piece.toString()})((n += 1))).join(''))
  process.stdout.write((${endOf.toString()})(texts))
  setInterval(() => {}, 1e9)`

// In the short form `backend/src/modules/terminal/screen/kept/restart.test.ts` has all of them.
describe.each(inLongForm(['SIGKILL'] as const))(
  'backend kill -9 in the middle of a flood: afterwards a page that is opened anew',
  (signal) => {
    let flooded: Record<string, Seen>

    beforeAll(async () => {
      const all = TRIED.map(async ([name, piece]) => {
        const { name: agent } = await admin.agent({ runtime: 'bash', keepSeconds: 300 })
        await admin.upload(agent, 'flood.js', FLOOD(piece))
        const page = await open(agent)
        page.client.type('stty raw; exec node flood.js\r')
        await until('the flood to be under way', () => page.offset > KILLED_AT, DRAWN_WITHIN_MS)
        return { name, seen: { agent, page }, container: `${namespace}-agent-${agent}` }
      })
      const found = await Promise.all(all)
      flooded = Object.fromEntries(found.map(({ name, seen }) => [name, seen]))
      await restart(signal, Object.values(flooded), async () => {
        // Output after the kill must not overwrite earlier output.
        for (const { container } of found) await runIn(container, ['touch', '/home/developer/enough'])
      })
    })

    it.each(TRIED)('shows %s as they would be without', async (name, piece) => {
      const after = await open(flooded[name]!.agent)
      const title = () => /^(\d+) texts$/.exec(after.emulator.core._inputHandler._windowTitle)?.[1]
      await until('the flood to end', () => title() !== undefined, DRAWN_WITHIN_MS)
      const texts = Number(title())
      const emulator = createEmulator(SIZE)
      await written(emulator, Buffer.from(FLOOD_START))
      for (let n = 0, text = 0; text < texts; text += 1)
        await written(emulator, Buffer.from(Array.from({ length: PIECES }, () => piece((n += 1))).join('')))
      await written(emulator, Buffer.from(endOf(texts)))
      await expect.poll(() => after.differences({ emulator })).toEqual([])
    })
  },
)

// `backend/src/modules/terminal/screen/kept/restart.test.ts` has a stopped server, `terminal-survives.test.ts` the terminals of one.
longIt(
  'after its server was stopped, a page that is opened anew shows the same, cell by cell, with what came last',
  async () => {
    const before = await drawn()
    await types(before.page, 'a line before the end')
    await restart('SIGTERM', [before])
    await isSame(before)
  },
)

describe('what is kept of a screen', () => {
  it('is for the server alone, and goes with its session', async () => {
    const before = await drawn()
    await isKept(before)
    expect(statSync(keptOf(before)).mode & 0o777).toBe(0o600)
    await before.page.client.disconnect()
    await until('it to be gone', () => !existsSync(keptOf(before)))
  })
})

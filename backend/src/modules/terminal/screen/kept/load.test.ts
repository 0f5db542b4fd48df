import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../../../lib/log.ts'
import { ScreenFiles } from './files.ts'
import { parseScreen, printScreen, printSizes } from './kept.ts'
import { loadScreen } from './load.ts'

const size = { cols: 80, rows: 24 }
const screen = { offset: 1000, size, data: Buffer.from('what it shows') }
const attached = { ...size, from: 200, to: 1200 }
const [id, other] = [randomUUID(), randomUUID()]
const secretKey = randomBytes(32)

let dataDir: string
let logged: object[]
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-screens-'))
  logged = []
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const filesWith = (
  keys: { secretKey?: Uint8Array; previousSecretKey?: Uint8Array | null; minFreeBytes?: number } = {},
) => new ScreenFiles({ dataDir, secretKey, previousSecretKey: null, minFreeBytes: 0, ...keys })
const load = (files = filesWith(), of = id, to = attached) =>
  loadScreen({ files, log: { ...silentLog, warn: (what: object) => void logged.push(what) } }, of, to)
const path = (part = 'screen', of = id): string => join(dataDir, 'screens', `${of}.${part}`)
const write = async (files = filesWith()): Promise<void> => files.write(id, 'screen', await printScreen(screen))

describe('a kept screen', () => {
  it('is there again, under the same key or the one before', async () => {
    await write()
    expect(await load()).toEqual({ ...screen, sizes: [], past: null })
    expect(await load(filesWith({ secretKey: randomBytes(32), previousSecretKey: secretKey }))).toEqual({
      ...screen,
      sizes: [],
      past: null,
    })
    expect(await load(filesWith(), other)).toBeNull()
    expect(logged).toEqual([])
  })

  it('is readable by its owner alone, and not without the key', async () => {
    await write()
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'screens')).mode & 0o777).toBe(0o700)
    expect(await parseScreen(readFileSync(path()).subarray(28))).toBeNull()
  })

  it('comes with the sizes since, the last of which is that of now', async () => {
    await write()
    const changes = [
      { offset: 900, size: { cols: 10, rows: 10 } },
      { offset: 1000, size: { cols: 60, rows: 20 } },
      { offset: 9999, size: { cols: 20, rows: 20 } },
    ]
    await filesWith().write(id, 'sizes', printSizes(changes))
    expect((await load())?.sizes).toEqual([changes[1], { offset: 1000, size }])
    // The time of this change is unknown. It comes before all output that the container still has.
    const late = { cols: 70, rows: 30, from: 1100, to: 1200 }
    expect((await load(filesWith(), id, late))?.sizes.at(-1)).toEqual({ offset: 1100, size: { cols: 70, rows: 30 } })
  })

  it('comes with the lines that followed it, but not with those of another session', async () => {
    await write()
    const since = { offset: 1100, size, data: Buffer.from(' and more'), base: screen.offset }
    await filesWith().write(id, 'since', await printScreen(since))
    expect(await load()).toEqual({
      offset: 1100,
      size,
      data: Buffer.from('what it shows and more'),
      sizes: [],
      past: null,
    })
    await filesWith().write(id, 'since', await printScreen({ ...since, base: 999 }))
    expect(await load()).toEqual({ ...screen, sizes: [], past: null })
    expect(logged).toEqual([])
  })

  it('is an empty one of the first size where none was kept yet', async () => {
    const first = { offset: 0, size: { cols: 50, rows: 5 } }
    const then = { offset: 300, size }
    await filesWith().write(id, 'sizes', printSizes([first, then]))
    expect(await load()).toEqual({ ...first, data: new Uint8Array(), sizes: [first, then], past: null })
    // If there were many changes, the oldest ones were dropped, and so the first size is unknown.
    await filesWith().write(id, 'sizes', printSizes([then]))
    expect(await load()).toBeNull()
  })

  const spoil: Record<string, () => Promise<void> | void> = {
    'under another key': () => write(filesWith({ secretKey: randomBytes(32) })),
    damaged: async () => {
      await write()
      const bytes = readFileSync(path())
      bytes[bytes.length - 1]! ^= 1
      writeFileSync(path(), bytes)
    },
    'cut off': async () => {
      await write()
      writeFileSync(path(), readFileSync(path()).subarray(0, 20))
    },
    empty: async () => {
      await write()
      writeFileSync(path(), '')
    },
    'of another session': async () => {
      await filesWith().write(other, 'screen', await printScreen(screen))
      writeFileSync(path(), readFileSync(path('screen', other)))
    },
    'in the place of the sizes': async () => {
      await filesWith().write(id, 'sizes', await printScreen(screen))
      writeFileSync(path(), readFileSync(path('sizes')))
      rmSync(path('sizes'))
    },
    'no screen': () => filesWith().write(id, 'screen', Buffer.from('anything')),
    'of an impossible size': async () =>
      filesWith().write(id, 'screen', await printScreen({ ...screen, size: { cols: 9999, rows: 1 } })),
    'larger when it is expanded than any': async () =>
      filesWith().write(id, 'screen', await printScreen({ ...screen, data: Buffer.alloc(9_000_000) })),
    'a file of any length': async () => {
      await write()
      writeFileSync(path(), Buffer.alloc(9_000_000))
    },
    'no file': () => void mkdirSync(path(), { recursive: true }),
    'not readable': async () => {
      await write()
      chmodSync(path(), 0)
    },
    'of output that never was': async () =>
      filesWith().write(id, 'screen', await printScreen({ ...screen, offset: 1201 })),
  }
  it.each(Object.entries(spoil))('is left alone where it is %s, and the log says so', async (name, act) => {
    await act()
    // Root can read every file.
    if (name === 'not readable' && process.getuid?.() === 0) return
    expect(await load()).toBeNull()
    expect(logged).toEqual([{ sessionId: id, because: expect.stringMatching(/^(unreadable|too_large|ahead)$/) }])
  })

  it('is whole or not at all, and leaves no draft', async () => {
    await write()
    await expect(write(filesWith({ minFreeBytes: Number.MAX_SAFE_INTEGER }))).rejects.toThrow('free')
    expect(await load()).not.toBeNull()
    writeFileSync(`${path()}.draft`, 'half of')
    await filesWith().ids()
    // It may still be being written.
    expect(statSync(`${path()}.draft`).size).toBe(7)
    utimesSync(`${path()}.draft`, 0, Date.now() / 1000 - 61)
    expect(await filesWith().ids()).toEqual([id])
    expect(() => statSync(`${path()}.draft`)).toThrow('ENOENT')
    await filesWith().remove(id)
    expect(await filesWith().ids()).toEqual([])
  })

  it('has the name of a session, and nothing else', async () => {
    await expect(filesWith().read('../secret', 'screen')).rejects.toThrow(RangeError)
  })
})

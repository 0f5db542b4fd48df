/** Viewers that cannot keep up. The program does not wait for them, and their final screen is right. */
import type { CreatedTerminalLink } from '@slipway/protocol'
import { disconnectAll, until } from '@slipway/testing'
import { inTurn, longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { processesIn } from '../support/engine.ts'
import { FaultProxy } from '../support/network/fault-proxy.ts'
import { linesAfter, Shown } from '../support/terminal/shown.ts'
import { useAgent } from '../support/use-agent.ts'

const SIZE = { cols: 100, rows: 30 }
/** Number of lines: far more than a window, but fewer than fit into the browser's scrollback. */
const LINES = 120_000
/** Rate of a link that would need more than a minute for the output. */
const BYTES_PER_SECOND = 150_000
/** Longest time for the program, in milliseconds. If it waited for the link, it would take more than a minute. */
const PROGRAM_MS = 120_000
/** Lines to compare, from the end: the screen and most of the scrollback that a snapshot contains. */
const COMPARED = 900

/** Coloured lines, some wider than the screen, some with wide characters. */
const text = Array.from({ length: LINES }, (_, index) => {
  const wide = index % 7 === 0 ? '漢字' : ''
  return `\x1b[${index % 3 === 0 ? '1;' : ''}38;5;${index % 256}m${index}\x1b[m ${wide}${'x'.repeat(index % 130)}\n`
}).join('')

const its = useAgent({ runtime: 'bash' })
let expected: string[]
let proxy: FaultProxy | undefined

beforeAll(async () => {
  await its.owner.upload(its.agent.name, 'long.txt', text)
  expected = await linesAfter(text.replaceAll('\n', '\r\n'), COMPARED, SIZE)
})
afterEach(async () => {
  await disconnectAll()
  await proxy?.close()
  proxy = undefined
})

/** Prints all of it, then continues as another program, which is silent. */
const print = async (viewer: Shown, marker: number): Promise<void> => {
  await viewer.client.until('a prompt', () => viewer.client.text.includes('$ '))
  viewer.client.type(`cat long.txt; exec sleep ${marker}\r`)
  await until(
    'the program to be done',
    async () => (await processesIn(its.container)).some((line) => line === `sleep ${marker}`),
    PROGRAM_MS,
  )
}
const open = (baseUrl: string, acknowledges = true): Promise<Shown> =>
  Shown.open(
    { baseUrl, path: `${its.path}/terminal?mode=bash` },
    { token: its.owner.token },
    { size: SIZE, acknowledges },
  )

/**
 * Each Enter prints another block of numbers. A few blocks are smaller than the window, because the server may read
 * another viewer's acknowledgement later.
 */
const BLOCKS = 160
const NUMBERS = 1024
const COUNTER = `stty -echo; i=0; echo rea"dy"; while read -r; do seq -f %015.0f $((i * ${NUMBERS})) $((i * ${NUMBERS} + ${NUMBERS - 1})); i=$((i + 1)); done\r`
const numbers = Array.from({ length: BLOCKS * NUMBERS }, (_, index) => `${String(index).padStart(15, '0')}\r\n`).join(
  '',
)

/** A guest who opened the session with a link and has been shown all of it. */
const watch = async (owner: Shown): Promise<Shown> => {
  const { sessionId } = owner.client
  const body = { access: 'view', audience: 'anyone', expiresInMinutes: 60 }
  const { secret } = await its.owner.ok<CreatedTerminalLink>('POST', `/terminal-sessions/${sessionId}/links`, body)
  const guest = await Shown.open({ baseUrl: its.owner.baseUrl, path: '/watch' }, { link: secret }, { size: SIZE })
  const { client } = guest
  await client.until('the screen', () => {
    const screen = client.frames.find((frame) => frame.type === 'snapshot')
    return screen !== undefined && client.received >= screen.bytes + (screen.replay ?? 0)
  })
  return guest
}

describe('a viewer that cannot follow', () => {
  it('does not hold the program up when it acknowledges nothing, and is shown the screen once it does', async () => {
    const viewer = await open(its.owner.baseUrl, false)
    await print(viewer, 4711)
    expect(viewer.snapshots).toEqual([])
    expect(viewer.client.received).toBeLessThan(text.length / 2)
    viewer.acknowledge()
    await viewer.client.until('a screen', () => viewer.snapshots.length > 0)
    await until('the last line', async () => (await viewer.lines(2))[0] === expected.at(-2))
    expect(await viewer.lines(COMPARED)).toEqual(expected)
  })

  // The test before has one that cannot follow at all.
  longIt('skips what its slow network would have to carry, and ends with the right screen', async () => {
    proxy = await FaultProxy.before(its.owner.baseUrl)
    proxy.become({ bytesPerSecond: BYTES_PER_SECOND })
    const viewer = await open(proxy.url)
    await print(viewer, 4712)
    await until('the last line', async () => (await viewer.lines(2))[0] === expected.at(-2))
    expect(viewer.snapshots.length).toBeGreaterThan(0)
    expect(viewer.client.received).toBeLessThan(text.length / 2)
    expect(await viewer.lines(COMPARED)).toEqual(expected)
  })

  const ROLES = [
    ['by a link', 'the one whose session it is', (owner: Shown, guest: Shown) => ({ quick: owner, slow: guest })],
    ['as its owner', 'one who came by a link', (owner: Shown, guest: Shown) => ({ quick: guest, slow: owner })],
  ] as const

  // In turn: a guest and an owner are viewers of the same kind.
  it.each(inTurn(ROLES, 0))('and is there %s keeps no byte from %s', async (_slow, _quick, roles) => {
    const owner = await open(its.owner.baseUrl)
    owner.client.type(COUNTER)
    await owner.client.until('the program', () => owner.client.text.includes('ready'))
    const { quick, slow } = roles(owner, await watch(owner))
    await quick.lines(1)
    slow.client.socket.pause()
    const [screens, from, unread] = [quick.snapshots.length, quick.client.received, slow.client.received]
    for (let length = numbers.length / BLOCKS; length <= numbers.length; length += numbers.length / BLOCKS) {
      owner.client.type('\r')
      // It reads no ping. The server ends a viewer that is silent for too long, and a busy machine takes its time.
      slow.client.socket.pong()
      await quick.client.until('the next block', () => quick.client.received >= from + length)
      // Parsed and acknowledged.
      await quick.lines(1)
    }
    expect(quick.client.output.subarray(from).toString() === numbers).toBe(true)
    expect(quick.snapshots).toHaveLength(screens)
    expect(slow.client.received).toBe(unread)
    slow.client.socket.resume()
    await until('the last number', async () => (await slow.lines(2))[0]?.trim() === numbers.slice(-17, -2))
  })
})

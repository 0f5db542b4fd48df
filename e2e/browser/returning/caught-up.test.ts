/** A page that was disconnected for a while, without a reload, shows the same as a page that was always connected. */
// In the short form `terminal/edge-cases.test.ts` loses the network, and `killed-server.test.ts` has every line of a
// page that was left.
import '@slipway/testing/long'
import type { CreatedTerminalLink } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { differences, everything, settled } from '../../support/page/cells.ts'
import { Heard } from '../../support/terminal/heard.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { cuttable, type Network } from '../../support/network/cuttable.ts'
import { type ContextOptions, contextOf, goTo, useBrowser } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

/** Least output that the server keeps of a session, in bytes (docs/programs/terminal.md). */
const LOG_BYTES = 1_048_576
/**
 * Lines printed at once. They stay below the back-pressure window, so that the connected page is not left behind, too.
 */
const PIECE_LINES = 1_000

/**
 * Reads two numbers and prints the lines from one to the other, with colours and wide characters. Some lines are wider
 * than the window.
 */
const PRINTER = String.raw`rm -f ~/go; mkfifo ~/go; echo "waits for numbers"
while read -r from to < ~/go; do
  awk -v from="$from" -v to="$to" 'BEGIN { for (n = from; n <= to; n++) {
    printf "\033[3%dmline %d \033[1;4m漢字かな\033[0;48;2;%d;2;3m e\314\201 👩‍💻 \033[7m%040d\033[0m", n % 8, n, n % 256, n
    printf (n % 50 == 0) ? " %0300d\n" : " %030d\n", 0
  } }'
done`

useBrowser()
const its = useAgent({ runtime: 'bash', keepSeconds: 300 })
let network: Network
/** The page that is disconnected, and the page that always watches, with what each received. */
let away: Screen
let there: Screen
let toAway: Heard
let toThere: Heard

const open = async (path: string, options: ContextOptions = {}): Promise<[Screen, Heard]> => {
  const page = await (await contextOf(its.owner, options)).newPage()
  const heard = new Heard(page)
  await goTo(page, path)
  const screen = new Screen(page)
  await screen.is('connected')
  return [screen, heard]
}

/** Makes the program print, and waits until the watching page has shown it. */
const print = async (from: number, to: number): Promise<void> => {
  for (let first = from; first <= to; first += PIECE_LINES) {
    const last = Math.min(to, first + PIECE_LINES - 1)
    await runIn(its.agent.name, `echo ${first} ${last} > ~/go`)
    await there.shows(`line ${last} `)
  }
}

beforeAll(() => its.owner.upload(its.agent.name, 'printer.sh', PRINTER))
beforeEach(async () => {
  network = await cuttable()
  const provoked = [/ERR_|WebSocket connection to/]
  ;[away, toAway] = await open(its.path, { proxy: { server: network.url }, provoked })
  await away.shell()
  const { sessionId } = toAway.frames('auth_success')[0]!
  const links = `/terminal-sessions/${sessionId}/links`
  const { pathname, hash } = new URL((await its.owner.ok<CreatedTerminalLink>('POST', links, { access: 'view' })).url)
  ;[there, toThere] = await open(pathname + hash)
  await away.type('bash printer.sh\n')
  await away.shows('waits for numbers')
  await print(1, 100)
  await away.shows('line 100 ')
})
afterEach(async () => {
  await away.page.getByTestId('terminal-disconnect').click()
  await away.page.getByTestId('confirm-action').click()
  await away.is('disconnected')
  await away.page.context().close()
  await network.close()
})

/** Prints up to a line while the page is disconnected, then reconnects it. Both pages must show the same. */
const missUpTo = async (line: number): Promise<void> => {
  await settled(away.page)
  network.cut()
  await away.is('reconnecting')
  toAway.forget()
  toThere.forget()
  await print(101, line)
  network.mend()
  await away.is('connected')
  const all = await settled(there.page)
  await expect.poll(async () => differences(all, await everything(away.page))).toBe('')
  expect(all.normal.join('\n')).toContain(`line ${line} `)
  // The watching page was never disconnected, and got no snapshot either.
  expect(toThere.frames('snapshot')).toEqual([])
}

describe('a page whose network was away', () => {
  // `exact-repaint.test.ts` compares every cell after 20,000 lines, and `e2e/protocol/slow-viewer.test.ts` skips output.
  longIt('is sent the screen when more was printed than is kept, and has every cell of it', async () => {
    await missUpTo(20_000)
    expect(toThere.bytes).toBeGreaterThan(2 * LOG_BYTES)
    expect(toAway.frames('snapshot')).toHaveLength(1)
    const { normal } = await everything(away.page)
    expect(normal.length).toBeGreaterThan(10_000)
  })

  it('is sent what it missed, and no more, when that is still kept', async () => {
    await missUpTo(900)
    expect(toThere.bytes).toBeGreaterThan(100_000)
    expect(toAway.frames('snapshot')).toEqual([])
    expect(toAway.bytes).toBe(toThere.bytes)
  })
})

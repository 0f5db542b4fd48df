/** `slipway attach` in a terminal of its own, against the real server, over a bad network. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { actUntil, disconnectAll, TerminalClient, until } from '@slipway/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { MAIN } from '../support/command.ts'
import { FaultProxy } from '../support/network/fault-proxy.ts'
import { type Pty, PTY_SIZE, startInPty } from '../support/terminal/pty.ts'
import { useAgent } from '../support/use-agent.ts'

const COUNTER = `python3 -uc 'import itertools,time
for i in itertools.count(): print("n%d" % i) or time.sleep(0.01)'\r`
const CTRL_C = '\x03'
const CTRL_BRACKET = '\x1d'

const its = useAgent({ runtime: 'bash', keepSeconds: 300 })
let token: string
let proxy: FaultProxy
const started = new Set<Pty>()

beforeAll(async () => {
  token = (await its.owner.apiToken('terminal')).token
  proxy = await FaultProxy.before(its.owner.baseUrl)
})
afterEach(async () => {
  await disconnectAll()
  await Promise.all([...started].map((one) => one.end()))
  started.clear()
})
afterAll(() => proxy.close())

const start = (...options: string[]): Pty => {
  const argv = [process.execPath, MAIN, 'attach', its.agent.name, '--mode', 'bash', ...options]
  const one = startInPty(argv, { SLIPWAY_URL: proxy.url, SLIPWAY_TOKEN: token })
  started.add(one)
  return one
}
const numbers = (text: string): number[] => [...text.matchAll(/^n(\d+)\r+$/gm)].map(([, digits]) => Number(digits))

/**
 * Runs the counter over three losses of the connection. Null: the machine was so slow that one lasted long enough to be told
 * on the screen, which is drawn anew after that.
 */
const numbersOverLosses = async (here: Pty): Promise<number[] | null> => {
  const from = here.printed().length
  const printed = (): string => here.printed().slice(from)
  const goesOn = async (): Promise<void> => {
    await until('the connection', () => proxy.connections > 0)
    const seen = numbers(printed()).length
    await until('the counter to go on', () => numbers(printed()).length > seen + 20)
  }
  here.type(COUNTER)
  for (let loss = 1; loss <= 3; loss++) {
    await goesOn()
    proxy.drop()
  }
  await goesOn()
  const before = here.printed().length
  const hasEnded = (): boolean => /KeyboardInterrupt[^]*\$ /.test(here.printed().slice(before))
  await actUntil('the end of the counter', hasEnded, () => here.type(CTRL_C))
  return printed().includes('[slipway: the connection is lost') ? null : numbers(printed())
}

it('gives the program the size of the terminal, comes back with no byte missing or twice, and ends as it ends', async () => {
  const here = start()
  await here.prints(/\$ /)
  here.type('stty size\r')
  await here.prints(/33 91/)
  await promisify(execFile)('stty', ['-F', here.device(), 'cols', '101'])
  here.type('until [ "$(stty size)" = "33 101" ]; do sleep 0.1; done; echo re""sized\r')
  await here.prints(/resized/)
  const all = await until('short losses', () => numbersOverLosses(here))
  expect(all).toEqual(all.map((_, index) => index))
  here.type('exit 7\r')
  expect(await here.ended).toBe(7)
})

it('leaves with Ctrl+], makes the terminal usable again, and is shown the exact screen when it returns', async () => {
  const first = start()
  await first.prints(/\$ /)
  first.type(`printf '\\033[?1049h\\033[?1000h\\033[?2004h\\033[2J\\033[5;7Hleft-%d' 42; read x\r`)
  await first.prints(/left-42/)
  await until('the screen', () => first.screen().includes('left-42'))
  expect(first.terminal.modes.mouseTrackingMode).toBe('vt200')
  const before = first.screen()
  first.type(CTRL_BRACKET)
  expect(await first.ended).toBe(0)
  const modesOf = ({ terminal: { buffer, modes } }: Pty) => ({
    type: buffer.active.type,
    mouse: modes.mouseTrackingMode,
    brackets: modes.bracketedPasteMode,
  })
  await expect.poll(() => modesOf(first)).toEqual({ type: 'normal', mouse: 'none', brackets: false })
  expect(first.printed()).toContain('The session waits for you.')

  const second = start()
  await until('the same screen', () => second.screen() === before).catch((error: unknown) => {
    throw new Error(`${before}\nis not\n${second.screen()}`, { cause: error })
  })
  // The modes come after the text.
  await expect.poll(() => modesOf(second)).toEqual({ type: 'alternate', mouse: 'vt200', brackets: true })
  second.type(`\x1b[200~a${CTRL_BRACKET}b\x1b[201~${CTRL_C}`)
  await second.prints(/\^C[^]*\$ /)
  second.type('exit 0\r')
  expect(await second.ended).toBe(0)
  expect(second.printed()).not.toContain('The session waits for you.')
})

it('is refused while another client has the terminal, and takes it over when it is told to', async () => {
  const client = await TerminalClient.open(
    { baseUrl: its.owner.baseUrl, path: `${its.path}/terminal?mode=bash`, acknowledges: true },
    { type: 'auth', token, v: 2, ...PTY_SIZE },
  )
  const refused = start()
  expect(await refused.ended).toBe(125)
  expect(refused.printed()).toContain('You already have an active terminal session for this agent')
  const taking = start('--take-over')
  await client.until('that it was taken over', () => client.frames.some((frame) => frame.type === 'error'))
  await taking.prints(/\$ /)
  taking.type('exit 0\r')
  expect(await taking.ended).toBe(0)
})

it('sends a large paste whole, and reads a flood to its end', async () => {
  const here = start()
  await here.prints(/\$ /)
  here.type(`stty -echo -icanon; echo rea""dy; head -c 3000000 | md5sum; stty sane; printf 'sum-%s\\n' done\r`)
  await here.prints(/ready/)
  const paste = 'x'.repeat(2_999_999)
  here.type(`${paste}\n`)
  await here.prints(/sum-done/)
  const sum = (await promisify(execFile)('sh', ['-c', "(head -c 2999999 /dev/zero | tr '\\0' x; echo) | md5sum"]))
    .stdout
  expect(here.printed()).toContain(sum.slice(0, 32))
  here.type('head -c 8000000 /dev/zero | tr "\\0" y; echo; echo do""ne; exit\r')
  expect(await here.ended).toBe(0)
  expect(here.printed().replaceAll(/[^y]/g, '').length).toBeGreaterThanOrEqual(8_000_000)
})

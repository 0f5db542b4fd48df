/**
 * `examples/terminal-client.mjs` as a user runs it: in a terminal of its own, against the real server, over a bad
 * network.
 */
// In the short form `../cli/attach.test.ts` has the same with the product’s own command.
import '@slipway/testing/long'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '@slipway/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { FaultProxy } from '../support/network/fault-proxy.ts'
import { useAgent } from '../support/use-agent.ts'

const PROGRAM = join(import.meta.dirname, '../../examples/terminal-client.mjs')
const LINES_MAX = 60
const COUNTER = `python3 -uc 'import itertools,time
for i in itertools.count(): print("n%d" % i) or time.sleep(0.01)'\r`
const CTRL_C = '\x03'
const CTRL_BRACKET = '\x1d'

const its = useAgent({ runtime: 'bash', keepSeconds: 300 })
let token: string
let proxy: FaultProxy
const started: ChildProcess[] = []

beforeAll(async () => {
  token = (await its.owner.apiToken('terminal')).token
  proxy = await FaultProxy.before(its.owner.baseUrl)
})
afterEach(() => started.splice(0).forEach((child) => child.kill()))
afterAll(async () => {
  await proxy.close()
})

/** In a terminal of 91 columns and 33 rows. It prints the name of its device first. */
const start = () => {
  const line = `stty cols 91 rows 33; tty; exec "${process.execPath}" "${PROGRAM}" ${its.agent.name} bash`
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color', SLIPWAY_URL: proxy.url, SLIPWAY_TOKEN: token }
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { env, stdio: 'pipe' })
  started.push(child)
  const ended = once(child, 'close').then(([code]) => code as number)
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('latin1')))
  return {
    ended,
    printed: () => printed,
    type: (keys: string) => child.stdin.write(keys),
    shows: (what: RegExp, count = 1) =>
      until(`${what} to be shown`, () => [...printed.matchAll(new RegExp(what, 'g'))].length >= count),
    device: () => /\/dev\/\S+/.exec(printed)![0],
  }
}
const numbers = (text: string): number[] => [...text.matchAll(/^n(\d+)\r+$/gm)].map(([, digits]) => Number(digits))

it('the example is at most 60 lines', () => {
  expect(readFileSync(PROGRAM, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX)
})

it('the example gives the program its terminal’s size, comes back over lost networks with no byte missing or twice, and ends as it ends', async () => {
  const terminal = start()
  await terminal.shows(/\$ /)
  terminal.type('stty size\r')
  await terminal.shows(/33 91/)
  await promisify(execFile)('stty', ['-F', terminal.device(), 'cols', '101'])
  terminal.type('stty size; stty size; stty size\r')
  await terminal.shows(/33 101/)
  terminal.type(COUNTER)
  for (let loss = 1; loss <= 3; loss++) {
    const seen = numbers(terminal.printed()).length
    await until('the counter to go on', () => numbers(terminal.printed()).length > seen + 20)
    proxy.drop()
  }
  const seen = numbers(terminal.printed()).length
  await until('the counter to go on', () => numbers(terminal.printed()).length > seen + 20)
  terminal.type(CTRL_C)
  await terminal.shows(/KeyboardInterrupt/)
  const all = numbers(terminal.printed())
  expect(all).toEqual(all.map((_, index) => index))
  terminal.type('exit 7\r')
  expect(await terminal.ended).toBe(7)
})

it('the example is shown the screen of a session that waits, and reads a flood to its end', async () => {
  const first = start()
  await first.shows(/\$ /)
  first.type('echo left-$((40+2))\r')
  await first.shows(/left-42/)
  first.type(CTRL_BRACKET)
  expect(await first.ended).toBe(0)
  const second = start()
  await second.shows(/left-42/)
  second.type('head -c 8000000 /dev/zero | tr "\\0" x; echo; echo do""ne\r')
  await second.shows(/done/)
  expect(second.printed().replaceAll(/[^x]/g, '').length).toBeGreaterThanOrEqual(8_000_000)
  second.type('exit\r')
  expect(await second.ended).toBe(0)
})

#!/usr/bin/env node
// A coding CLI for tests. It has no model: words of its prompt that begin with @ say what it does, one after the other.
// Without such words it says something and ends well. It prints JSON lines in the form of Claude Code, or plain text.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

const argv = process.argv.slice(2)
if (argv.includes('--version')) {
  console.log('stub-cli 1.2.3 (of the tests)')
  process.exit(0)
}
const via = argv[argv.indexOf('--via') + 1]
const read = { stdin: () => readFileSync(0, 'utf8'), file: () => readFileSync(argv.at(-1), 'utf8') }
const prompt = (read[via] ?? (() => argv.at(-1)))()
const isText = argv.includes('--text')

/** Waits until the output has room, as a program with a blocking output does. */
const write = async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
const print = (line) => write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
const say = (text) =>
  isText ? print(text) : print({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
const result = (text, total_cost_usd = 0.1) =>
  isText ? print(text) : print({ type: 'result', subtype: 'success', is_error: false, result: text, total_cost_usd })
const forEver = () => new Promise(() => setInterval(() => undefined, 60_000))

const ACTS = {
  '@no-exit': async () => {
    await result('I am done.')
    await forEver()
  },
  '@silent-after-tool': async () => {
    const call = { type: 'tool_use', id: 'call-1', name: 'Bash', input: { command: 'make' } }
    await print({ type: 'assistant', message: { content: [call] } })
    await forEver()
  },
  '@long-line': () => say('x'.repeat(2 * 1024 * 1024)),
  '@longer-line': async () => {
    for (let count = 0; count < 50; count += 1) await write('y'.repeat(1024 * 1024))
    await print('')
  },
  '@endless-line': async () => {
    for (;;) await write('z'.repeat(65_536))
  },
  '@gigabyte': async () => {
    const lines = `${'w'.repeat(1_023)}\n`.repeat(1_024)
    for (let count = 0; count < 1_024; count += 1) await write(lines)
  },
  '@cost': async () => {
    await result('Half.', 0.25)
    await say('More.')
    await result('All.', 0.75)
  },
  '@twice': async () => {
    await result('First.')
    await result('Second.')
  },
  '@nothing': () => process.exit(0),
  '@broken': async () => {
    for (const line of ['{"type":"assistant","mess', 'warning: not JSON', '[]', '\u0000\uFFFF{}', 'null'])
      await print(line)
  },
  '@again': async () => {
    const child = spawn(process.execPath, [process.argv[1], '--via', 'argument', '@wait'], { stdio: 'inherit' })
    await once(child, 'exit')
  },
  '@deaf': async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
    await say('I hear nothing.')
    await forEver()
  },
  '@group': () => spawn('bash', ['-c', 'set -m; sleep 4711 & wait'], { stdio: 'ignore' }).unref(),
  '@setsid': () => spawn('sleep', ['4712'], { stdio: 'ignore', detached: true }).unref(),
  '@wait': async () => {
    await say('I wait.')
    while (!existsSync('/home/developer/go-on')) await delay(50)
  },
  '@fail': () => {
    process.exitCode = 3
  },
  '@env': () => result(JSON.stringify(process.env)),
  '@tell': () => {
    const file = via === 'file' ? { mode: (statSync(argv.at(-1)).mode & 0o777).toString(8) } : {}
    return result(JSON.stringify({ argv, cwd: process.cwd(), prompt, ...file }))
  },
}
/** Those that say themselves how the CLI ends. */
const LAST = ['@cost', '@twice', '@env', '@tell']

const acts = prompt.split(/\s+/).filter((word) => word in ACTS)
if (!acts.includes('@nothing') && !isText) await print({ type: 'system', subtype: 'init', session_id: 'stub-session' })
for (const act of acts) await ACTS[act]()
if (!acts.some((act) => LAST.includes(act))) await result('Well done.')

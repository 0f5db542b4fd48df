#!/usr/bin/env node
// A coding CLI for tests. It has no model: words of its prompt that begin with @ say what it does, one after the other.
// Without such words it says something and ends well. It prints what the CLI prints that `--as` names, or plain text.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { formsOf } from './stub-forms.mjs'

const argv = process.argv.slice(2)
if (argv.includes('--version')) {
  console.log('stub-cli 1.2.3 (of the tests)')
  process.exit(0)
}
const valueOf = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined)
const as = argv.includes('--text') ? 'text' : (valueOf('--as') ?? 'custom')
/** The session to continue. */
const resumed = valueOf({ codex: 'resume', opencode: '-s' }[as] ?? '--resume')
const form = formsOf(resumed ?? (as === 'custom' ? 'stub-session' : `stub-session-${process.pid}`))[as]
// The real CLIs read their prompts from standard input.
const via = valueOf('--via') ?? (as in { custom: 1, text: 1 } ? 'argument' : 'stdin')
const read = { stdin: () => readFileSync(0, 'utf8'), file: () => readFileSync(argv.at(-1), 'utf8') }
const prompt = (read[via] ?? (() => argv.at(-1)))()
/** What a session that it resumes has cost: as much as `@cost`, in US dollars. */
const before = resumed === undefined ? 0 : 0.75
let told = 0

/** Waits until the output has room, as a program with a blocking output does. */
const write = async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
const print = async (...lines) => {
  for (const line of lines) await write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
}
const say = (text) => print(...form.say(text))
/** `cost` is that of this process, in US dollars. */
const costs = (cost) => {
  const share = cost - told
  told = cost
  return { total: before + cost, before, share }
}
const result = (text, cost = 0.1) => print(...form.result(text, costs(cost)))
const forEver = () => new Promise(() => setInterval(() => undefined, 60_000))

const ACTS = {
  '@no-exit': async () => {
    await result('I am done.')
    await forEver()
  },
  '@silent-after-tool': async () => {
    await print(...form.tool('make'))
    await forEver()
  },
  '@busy': async () => {
    const burn = 'until [ -e /home/developer/go-on ]; do :; done'
    await once(spawn('sh', ['-c', burn], { stdio: 'ignore', detached: true }), 'exit')
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
  '@mute': () => process.exit(0),
  '@broken': async () => {
    for (const line of ['{"type":"assistant","mess', 'warning: not JSON', '[]', '\u0000\uFFFF{}', 'null'])
      await print(line)
  },
  '@again': async () => {
    const again = [process.argv[1], '--as', as, '--via', 'argument', '@wait']
    await once(spawn(process.execPath, again, { stdio: 'inherit' }), 'exit')
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
if (form.interrupted && !acts.includes('@deaf'))
  process.once('SIGINT', () => void print(...form.interrupted(costs(0.1))).then(() => process.exit(1)))
if (!acts.includes('@nothing')) await print(...form.init())
for (const act of acts) await ACTS[act]()
if (!acts.some((act) => LAST.includes(act))) await result('Well done.')

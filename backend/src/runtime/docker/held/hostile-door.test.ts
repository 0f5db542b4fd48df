/**
 * A process in a container can kill a holder and answer at its socket. It must not harm other terminals or the backend.
 */
import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { until } from '@slipway/testing'
import { combined, inLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { heldBytes } from '../../../../test/support/held-bytes.ts'
import { errorOutput, frame, output } from '../../../../test/support/holder/frames.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { type RecoverDeps, recoverer } from '../../../modules/terminal/recovery/recover.ts'
import type { LeftSession } from '../../../modules/sessions/records/repository.ts'
import { TerminalRegistry } from '../../../modules/terminal/registry.ts'
import { Piped, startPiped } from '../../../../test/conformance/piped.ts'
import { newSpec, useSubject } from '../../../../test/conformance/subject.ts'
import { openTerminal, Terminal } from '../../../../test/conformance/terminal.ts'
import { FROM_THE_START, type Offsets, type Program } from '../../program.ts'
import { FOLDER } from './binary.ts'

/** How much an endless stream sends, in MiB, and how much memory it may cost the backend, in bytes. */
const ENDLESS_MIB = 256
const MEMORY_BYTES = 33_554_432
/** How long the stream takes on busy cores, in milliseconds. */
const TOLD_WITHIN_MS = 45_000

/**
 * Takes over the socket at `$1` from the holder with the pid `$2`. It sends `$3` to each client and, after the client's
 * first bytes, `$4`. Then it sends `$5` MiB of unknown frames, slowly enough to leave CPU time to others. It prints
 * `ready` when it listens, and `told` when all is sent.
 */
const IMPOSTOR = `
import base64, os, socket, sys, time, zlib
path, holder, endless = sys.argv[1], int(sys.argv[2]), int(sys.argv[5])
first, then = (zlib.decompress(base64.b64decode(text)) for text in sys.argv[3:5])
unknown = (b'z' + (1020).to_bytes(3, 'big') + bytes(1020)) * 1024
os.unlink(path)
door = socket.socket(socket.AF_UNIX)
door.bind(path)
door.listen()
os.kill(holder, 9)
print('ready', flush=True)
while True:
    guest = door.accept()[0]
    # Other clients only look whether a holder answers.
    fds = socket.recv_fds(guest, 8, 3)[1]
    if len(fds) < 3: continue
    os.write(fds[1], first)
    if then and os.read(fds[0], 1): os.write(fds[1], then)
    for _ in range(endless):
        left = unknown
        while left: left = left[os.write(fds[1], left):]
        time.sleep(0.002)
    print('told', flush=True)`

const { runtime } = useEngine()
const subject = useSubject({ runtime, image: IMAGE })
/** Uninvolved terminals, in the same container and in another one. */
let others: Terminal[] = []
const elsewhere = newSpec(IMAGE)
let elsewhereId = ''

beforeAll(async () => {
  elsewhereId = (await runtime.launch(elsewhere)).id
  const containers = [subject.containerId, elsewhereId]
  const argv = ['sh', '-c', 'stty -echo; echo ready; exec cat']
  others = await Promise.all(containers.map((containerId) => openTerminal({ runtime, containerId }, argv)))
  await Promise.all(others.map((other) => other.waitFor('ready')))
})
afterAll(async () => {
  await Promise.all(others.map(({ pty }) => pty.hangUp()))
  await runtime.remove(elsewhereId)
  await runtime.removeHome(elsewhere)
})

const othersGoOn = async (): Promise<void> => {
  const word = randomUUID()
  for (const other of others) other.type(`${word}\r`)
  await Promise.all(others.map((other) => other.waitFor(`${word}\r\n`)))
}

interface Answer {
  readonly first: Buffer
  readonly then?: Buffer
  readonly endlessMib?: number
}

/** A terminal whose holder was replaced by the impostor. `answer` gets its first process. */
const taken = async (answer: (leader: string) => Answer) => {
  const victim = await openTerminal(subject, ['cat'], { keepSeconds: 600 })
  return takenFrom({ session: victim.session, program: victim.pty }, answer)
}

/** The same for any held program. */
const takenFrom = async (
  { session, program }: { readonly session: string; readonly program: Program },
  answer: (leader: string) => Answer,
) => {
  const { containerId } = subject
  const { leader } = program
  const its = (await runtime.processes(containerId)).find(({ pid }) => leader.startsWith(`${pid}:`))
  const { first, then = Buffer.alloc(0), endlessMib = 0 } = answer(leader)
  // Compressed, because an argument has at most 128 KiB.
  const texts = [first, then].map((bytes) => deflateSync(bytes).toString('base64'))
  const argv = ['python3', '-c', IMPOSTOR, `${FOLDER}/${session}`, String(its?.ppid), ...texts, String(endlessMib)]
  const impostor = await openTerminal({ runtime, containerId }, argv)
  await impostor.waitFor('ready')
  // The impostor claims the session, so the backend must expect that the program still runs.
  expect(await program.exit).toEqual({ exitCode: null, cause: 'engine_unavailable' })
  const attach = (from: Offsets = FROM_THE_START) => runtime.attach(containerId, session, from)
  return { session, leader, impostor, attach }
}

const hello = (leader: string, more: Readonly<Record<string, string>> = {}): Buffer => {
  const [pid, ticks] = leader.split(':')
  const words = { version: '1', pid, ticks, kills: '0', cols: '80', rows: '24', from: '0', to: '0', ...more }
  const lines = Object.entries(words).map(([name, value]) => `${name}=${value}\n`)
  return frame('h', Buffer.from(lines.join('')))
}
const GARBAGE = Buffer.from('This is no holder.\n'.repeat(1000))
/** Heads of frames of 16 MiB each. */
const GIANT = Buffer.from('h\xff\xff\xff', 'latin1')
const GIANT_OUTPUT = Buffer.concat([Buffer.from('o\xff\xff\xff', 'latin1'), Buffer.alloc(64)])

describe.concurrent('a process that has killed a holder and answers at its door', () => {
  // In the short form `greet.test.ts` has the other greetings, and others that go on with something wrong.
  it.each([
    ['garbage', (): Buffer => GARBAGE, 'start_failed'] as const,
    ...inLongForm([
      ['the head of a giant notice', () => GIANT, 'start_failed'] as const,
      ['a greeting that never ends', (leader: string) => hello(leader).subarray(0, -1), 'timed_out'] as const,
    ]),
  ] as const)('with %s is refused', async (_name, first, code) => {
    const { impostor, attach } = await taken((leader) => ({ first: first(leader) }))
    await expect(attach()).rejects.toMatchObject({ name: 'RuntimeError', code })
    await othersGoOn()
    await impostor.pty.hangUp()
  })

  const HOWS = [
    ['then with', (greeting: Buffer, then: Buffer): Answer => ({ first: greeting, then })],
    [
      'and in one piece with it',
      (greeting: Buffer, more: Buffer): Answer => ({ first: Buffer.concat([greeting, more]) }),
    ],
  ] as const
  const WRONG: readonly (readonly [name: string, wrong: Buffer])[] = [
    ['the head of giant output', GIANT_OUTPUT],
    ['output that leaves some out', output(5, 'not the first')],
    ...inLongForm([
      ['garbage', GARBAGE] as const,
      ['the head of a giant notice', GIANT] as const,
      ['error output, which no terminal has', errorOutput(0, 'wrong')] as const,
    ]),
  ]
  // In the short form both ways take turns.
  const cases = combined(HOWS, WRONG).map(([[how, answer], [name, wrong]]) => ({ how, answer, name, wrong }))
  it.each(cases)('with the right greeting, $how $name, has ended the session', async ({ answer, wrong }) => {
    const { impostor, attach } = await taken((leader) => answer(hello(leader), wrong))
    const attached = (await attach())!
    const shown = new Terminal(attached.program, impostor.session)
    attached.program.resize(81, 25)
    expect(await attached.program.exit).toEqual({ exitCode: null, cause: 'exited' })
    expect(shown.text).toBe('')
    await othersGoOn()
    await impostor.pty.hangUp()
  })

  it('with the right greeting, then without end with unknown frames, is skipped in bounded memory', async () => {
    const { impostor, attach } = await taken((leader) => ({ first: hello(leader), endlessMib: ENDLESS_MIB }))
    const before = heldBytes()
    const attached = (await attach())!
    const shown = new Terminal(attached.program, impostor.session)
    await until('all of it to be told', () => impostor.text.includes('told'), TOLD_WITHIN_MS)
    await until('all but little of it to be free', () => heldBytes() - before < MEMORY_BYTES)
    expect(shown.text).toBe('')
    await othersGoOn()
    attached.program.release()
    await impostor.pty.hangUp()
  })

  it('with the greeting of another terminal is dropped by a backend that looks for its own terminal', async () => {
    const [neighbour] = others
    const { session, leader, impostor } = await taken(() => ({ first: hello(neighbour!.pty.leader) }))
    const ended: unknown[] = []
    const adopted: unknown[] = []
    const deps = {
      runtime,
      board: { get: () => ({ runningId: subject.containerId, container: { startedAt: new Date(0) } }) },
      records: { ended: (...end: unknown[]) => ended.push(end) },
      registry: new TerminalRegistry(new Signal()),
      starter: { adopt: (slot: unknown) => adopted.push(slot) },
      recorder: { resume: () => Promise.resolve(null) },
      screens: { load: () => Promise.resolve(null), forget: () => undefined },
      tasks: { adopted: () => undefined, gone: () => undefined },
      freed: () => undefined,
      reinstate: () => Promise.resolve({ caller: { userId: 'ann', via: { kind: 'sign_in' } }, row: { id: 'agent' } }),
      log: silentLog,
    } as unknown as RecoverDeps
    const left = { id: session, leader, mode: 'bash', agentId: 'agent', userId: 'ann', startedAt: new Date() }
    expect(await recoverer(deps, 1)()(left as unknown as LeftSession, 'server_killed')).toBe(true)
    expect(adopted).toEqual([])
    expect(ended).toEqual([[session, { reason: 'server_killed' }]])
    await othersGoOn()
    await impostor.pty.hangUp()
  })
})

describe.concurrent('an answer at the door of a program on pipes', () => {
  const PIPES = {
    version: '2',
    io: 'pipes',
    cols: '0',
    rows: '0',
    from: '10',
    to: '20',
    error_from: '4',
    error_to: '4',
  }
  const asked = { stdout: 10, stderr: 4 }
  const ended = frame('x', Buffer.from([0, 0, 7, 0]))
  const takenPiped = async (answer: (leader: string) => Answer) =>
    takenFrom(await startPiped(subject, ['cat'], { keepSeconds: 600, stdin: 'open' }), answer)

  it.each([
    ['an offset beyond all numbers', { error_to: '9'.repeat(20), error_from: '9'.repeat(20) }],
    ...inLongForm<[string, Record<string, string>]>([
      ['offsets that go back', { from: '9' }],
      ['offsets of the errors that go back', { error_from: '0' }],
      ['an end before its beginning', { to: '9' }],
      ['an unknown later version', { version: '3' }],
      ['no version', { version: '' }],
    ]),
  ])('with %s is refused', async (_name, more) => {
    const { impostor, attach } = await takenPiped((leader) => ({ first: hello(leader, { ...PIPES, ...more }) }))
    await expect(attach(asked)).rejects.toMatchObject({ name: 'RuntimeError', code: 'start_failed' })
    await othersGoOn()
    await impostor.pty.hangUp()
  })

  it.each([
    ['errors where the output goes on', [errorOutput(10, 'x')], null],
    ['an end before its output', [ended, output(10, 'late')], 7],
    ...inLongForm<[string, Buffer[], number | null]>([
      ['output that was stored already', [output(9, 'xy')], null],
      ['errors that were stored already', [errorOutput(0, 'x')], null],
      ['output that leaves some out', [output(11, 'x')], null],
      ['the head of giant errors', [Buffer.from('O\xff\xff\xff', 'latin1'), Buffer.alloc(64)], null],
      ['an end that is told twice', [ended, frame('x', Buffer.from([0, 0, 9, 0])), GIANT], 7],
    ]),
  ])('with %s is over, and nothing of it is passed on', async (_name, frames, exitCode) => {
    const { session, impostor, attach } = await takenPiped((leader) => ({
      first: hello(leader, PIPES),
      then: Buffer.concat(frames),
    }))
    const { program } = (await attach(asked))!
    const piped = new Piped(program, session)
    program.write(Buffer.from('x'))
    expect(await program.exit).toEqual({ exitCode, cause: 'exited' })
    expect([piped.text('stdout'), piped.text('stderr')]).toEqual(['', ''])
    await othersGoOn()
    await impostor.pty.hangUp()
  })
})

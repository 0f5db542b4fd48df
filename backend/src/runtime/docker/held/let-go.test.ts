/** Tests what happens to waiting input when a backend releases its program. */
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { useSubject } from '../../../../test/conformance/subject.ts'
import { openTerminal, Terminal } from '../../../../test/conformance/terminal.ts'
import { FROM_THE_START } from '../../program.ts'
import { FOLDER } from './binary.ts'

const BEGIN = '\x1b[200~'
const END = '\x1b[201~'
/** More than a holder and a terminal buffer for a program that does not read, in bytes. */
const PASTE_BYTES = 400_000
/** Does not read until `/tmp/read` exists. Then it prints the length of the paste, and the input after it. */
const LATE_READER = `
import os, time, tty
tty.setraw(0)
os.write(1, b'ready')
while not os.path.exists('/tmp/read'): time.sleep(0.05)
typed = b''
while not typed.endswith(b'after'): typed += os.read(0, 65536)
begun, ended = typed.index(b'\\x1b[200~'), typed.index(b'\\x1b[201~')
os.write(1, b'%d bytes, then %s' % (ended - begun - 6, typed[ended + 6:]))
os.read(0, 1)`

/** Prints the argv of all processes. */
const COMMANDS = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"

const { runtime } = useEngine()
const subject = useSubject({ runtime, image: IMAGE })

it('a paste that waits is ended for its program, so that what is typed over the next backend counts as typed', async () => {
  const { containerId } = subject
  const first = await openTerminal(subject, ['python3', '-c', LATE_READER], { keepSeconds: 60 })
  await first.waitFor('ready')
  first.type(BEGIN + 'x'.repeat(PASTE_BYTES) + END)
  first.pty.release()
  // The holder, and each attached client, are processes with this argv.
  const ofHolder = async (): Promise<number> =>
    (await subject.sh(COMMANDS)).stdout.toString().split(`serve ${FOLDER} ${first.session} `).length - 1
  await until('the attachment to be over', async () => (await ofHolder()) === 1)
  const { program } = (await runtime.attach(containerId, first.session, FROM_THE_START))!
  const next = new Terminal(program, first.session)
  next.type('after')
  await subject.sh('touch /tmp/read')
  await next.waitFor(/\d+ bytes, then after/)
  const length = Number(/(\d+) bytes/.exec(next.text)?.[1])
  expect(length).toBeGreaterThan(0)
  expect(length).toBeLessThan(PASTE_BYTES)
  await next.pty.hangUp()
})

import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { HeldLines } from './held-lines.ts'
import { TtyUi } from './tty-ui.ts'

const setUp = () => {
  const [input, output, held] = [new PassThrough(), new LinesOut(), new HeldLines()]
  return { input, output, held, ui: new TtyUi({ input, output, held }) }
}

/** The hostile text of an agent: it clears the screen, and turns a text around. */
const HOSTILE = '\u001b[2J\u009b31m\u202eevil'

it('shows no text of an agent as more than a text', async () => {
  const { input, output, ui } = setUp()
  const asked = [
    ui.select(HOSTILE, [{ value: 'a', label: HOSTILE, description: HOSTILE }], { custom: true }),
    ui.confirm('x', HOSTILE),
    ui.input('x', HOSTILE),
    ui.editor('x', HOSTILE),
  ]
  ui.notify(HOSTILE)
  ui.setStatus(HOSTILE, HOSTILE)
  ui.setWidget('x', [HOSTILE])
  ui.setTitle(HOSTILE)
  for (const outcome of asked) {
    input.write('\x03')
    await outcome
  }
  expect(output.text).toContain('evil')
  for (const part of ['\u001b[2J', '\u009b', '\u202e']) expect(output.text.includes(part)).toBe(false)
})

it('takes an answer of one’s own', async () => {
  const { input, ui } = setUp()
  const asked = ui.select('Pick', [{ value: 'a', label: 'One' }], { custom: true })
  for (const key of ['\x1b[B', '\r', 'm', 'e', '\r']) {
    input.write(key)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await asked).toEqual({ ok: true, value: 'me' })
})

it('takes an Enter that was meant for something else for no yes', async () => {
  const { input, ui } = setUp()
  const asked = ui.confirm('Sure?', '')
  input.write('\r')
  expect(await asked).toEqual({ ok: true, value: false })
})

it('lets other lines wait while a prompt is open, and shows them in their order', async () => {
  const { input, output, held, ui } = setUp()
  const events = new LinesOut()
  const report = held.to(events)
  const asked = ui.input('Name', null)
  await Promise.resolve()
  report.write('one\n')
  ui.notify('two')
  report.write('three\n')
  expect([events.text, output.text.includes('two')]).toEqual(['', false])
  for (const key of ['a', '\r']) input.write(key)
  await asked
  expect([events.text, output.text.includes('i two\n')]).toEqual(['one\nthree\n', true])
})

import { expect, it } from 'vitest'
import { DebugUi } from './debug.ts'
import { FakeClock } from './testing/fake-clock.ts'
import { LinesOut } from './testing/lines-out.ts'
import { TIMEOUT_MS } from './ui.ts'

const OPTIONS = [{ value: 'a', label: 'One' }]

const setUp = () => {
  const [clock, output] = [new FakeClock(), new LinesOut()]
  let id = 0
  const ui = new DebugUi({ output, clock, newId: () => `id-${++id}` })
  const respond = (message: object): void => ui.handleResponse({ type: 'ui_response', ...message })
  return { ui, clock, output, respond }
}

it('puts requests into envelopes of one type', () => {
  const { ui, output } = setUp()
  void ui.select('Pick', OPTIONS)
  void ui.select('Pick', OPTIONS, { multiple: true })
  void ui.confirm('Sure?', 'Really')
  void ui.input('Name', null)
  void ui.editor('Text', 'old')
  const request = (id: number, method: string, params: object) => ({
    type: 'ui_request',
    id: `id-${id}`,
    method,
    params,
  })
  expect(output.values).toEqual([
    request(1, 'select', { title: 'Pick', options: OPTIONS }),
    request(2, 'select', { title: 'Pick', options: OPTIONS, opts: { multiple: true } }),
    request(3, 'confirm', { title: 'Sure?', message: 'Really' }),
    request(4, 'input', { title: 'Name', placeholder: null }),
    request(5, 'editor', { title: 'Text', prefill: 'old' }),
  ])
})

it('puts each notification into an envelope of its own type', () => {
  const { ui, output } = setUp()
  ui.notify('Done', 'success')
  ui.setStatus('state', null)
  ui.setWidget('plan', 'one', { at: 'top' })
  ui.setWorkingMessage(null)
  ui.setTitle('A task')
  ui.setEditorText('text')
  expect(output.values).toEqual([
    { type: 'ui_notify', params: { message: 'Done', notify_type: 'success' } },
    { type: 'ui_status', params: { key: 'state', text: null } },
    { type: 'ui_widget', params: { key: 'plan', content: 'one', opts: { at: 'top' } } },
    { type: 'ui_working', params: { message: null } },
    { type: 'ui_set_title', params: { title: 'A task' } },
    { type: 'ui_set_editor_text', params: { text: 'text' } },
  ])
  expect([ui.getEditorText(), ui.hasUi()]).toEqual(['text', true])
})

it.each([
  ['a result', { result: 'a', error: null }, { ok: true, value: 'a' }],
  [
    'an error, which wins over a result',
    { result: 'a', error: 'No' },
    { ok: false, error: 'client_error', message: 'No' },
  ],
  ['nothing of both, which is a cancelled answer', { result: null, error: null }, { ok: true, value: null }],
  ['neither field, which is one, too', {}, { ok: true, value: null }],
  ['another value', { result: 7 }, { ok: false, error: 'invalid_response', message: 'invalid_response' }],
])('takes %s', async (_what, response, expected) => {
  const { ui, respond } = setUp()
  const asked = ui.select('Pick', OPTIONS)
  respond({ id: 'id-1', ...response })
  expect(await asked).toEqual(expected)
})

it('ignores what is no response, or for no open question', async () => {
  const { ui, respond, clock } = setUp()
  const asked = ui.input('Name', null)
  for (const message of [null, 'text', [], { type: 'run', id: 'id-1', result: 'x' }]) ui.handleResponse(message)
  respond({ id: 'id-7', result: 'x' })
  respond({ id: 1, result: 'x' })
  respond({ id: 'id-1', result: 'ann' })
  respond({ id: 'id-1', result: 'bob' })
  expect(await asked).toEqual({ ok: true, value: 'ann' })
  expect(clock.pending).toBe(0)
})

it('waits for half a minute by default, and for several questions at once', async () => {
  const { ui, respond, clock } = setUp()
  const [first, second] = [ui.input('First', null), ui.input('Second', null)]
  respond({ id: 'id-2', result: 'two' })
  expect(await second).toEqual({ ok: true, value: 'two' })
  clock.advance(TIMEOUT_MS)
  expect(await first).toMatchObject({ ok: false, error: 'timeout' })
})

it('answers nothing and writes nothing after it was closed', async () => {
  const { ui, output } = setUp()
  const asked = ui.input('First', null)
  ui.close()
  ui.notify('late')
  expect([await asked, await ui.confirm('Late', '')]).toMatchObject([
    { error: 'server_shutdown' },
    { error: 'server_shutdown' },
  ])
  expect(output.values.length).toBe(1)
})

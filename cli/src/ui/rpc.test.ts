import { PassThrough, Readable, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { PENDING_MAX } from './requests.ts'
import { READER_PAUSE_MS, READER_RESTARTS_MAX, RpcUi, UNREAD_BYTES_MAX } from './rpc.ts'
import { FakeClock } from './testing/fake-clock.ts'
import { LinesOut } from './testing/lines-out.ts'
import { TIMEOUT_MS } from './ui.ts'

const OPTIONS = [
  { value: 'a', label: 'One' },
  { value: 'b', label: 'Two', description: 'The second' },
]

const setUp = ({ timeoutMs, inputs = [new PassThrough()] }: { timeoutMs?: number; inputs?: Readable[] } = {}) => {
  const clock = new FakeClock()
  const output = new LinesOut()
  let opened = 0
  let id = 0
  const ui = new RpcUi({
    input: () => inputs[opened++]!,
    ...{ output, clock, newId: () => `id-${++id}` },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const [input] = inputs as [PassThrough]
  return {
    ...{ ui, clock, output, input, opened: () => opened },
    respond: (message: object | string, to = input) =>
      to.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
  }
}

describe('the lines', () => {
  it('of requests have an id, a method and parameters', async () => {
    const { ui, output } = setUp()
    void ui.select('Pick', OPTIONS)
    void ui.select('Pick some', OPTIONS, { multiple: true, custom: true, timeoutMs: 1 })
    void ui.confirm('Sure?', 'It is dangerous')
    void ui.input('Name', 'ann')
    void ui.editor('Text', 'old')
    expect(output.values).toEqual([
      { id: 'id-1', method: 'select', params: { title: 'Pick', options: OPTIONS, opts: {} } },
      {
        id: 'id-2',
        method: 'select',
        params: { title: 'Pick some', options: OPTIONS, opts: { multiple: true, custom: true } },
      },
      { id: 'id-3', method: 'confirm', params: { title: 'Sure?', message: 'It is dangerous', opts: {} } },
      { id: 'id-4', method: 'input', params: { title: 'Name', placeholder: 'ann', opts: {} } },
      { id: 'id-5', method: 'editor', params: { title: 'Text', prefill: 'old', opts: {} } },
    ])
  })

  it('of notifications have no id', () => {
    const { ui, output } = setUp()
    ui.notify('Hello')
    ui.notify('Oh', 'warning')
    ui.setStatus('state', 'running')
    ui.setWidget('plan', ['one', 'two'], { color: 'red' })
    ui.setWorkingMessage('Thinking')
    ui.setTitle('A task')
    ui.setEditorText('text')
    expect(output.values).toEqual([
      { method: 'notify', params: { message: 'Hello', type: 'info' } },
      { method: 'notify', params: { message: 'Oh', type: 'warning' } },
      { method: 'set_status', params: { key: 'state', text: 'running' } },
      { method: 'set_widget', params: { key: 'plan', content: ['one', 'two'], opts: { color: 'red' } } },
      { method: 'set_working_message', params: { message: 'Thinking' } },
      { method: 'set_title', params: { title: 'A task' } },
      { method: 'set_editor_text', params: { text: 'text' } },
    ])
    expect([ui.getEditorText(), ui.hasUi()]).toEqual(['text', true])
  })

  it('have no character that a terminal obeys', () => {
    const { ui, output } = setUp()
    ui.notify('\u001b[31m\u009b\u202e')
    expect(output.text).toMatch(/^[\x20-\x7e]+\n$/)
    expect(output.values[0]).toMatchObject({ params: { message: '\u001b[31m\u009b\u202e' } })
  })
})

describe('an answer', () => {
  it('belongs to its request, in any order', async () => {
    const { ui, clock, respond } = setUp()
    const [first, second] = [ui.select('First', OPTIONS), ui.confirm('Second', '')]
    respond({ id: 'id-2', result: true })
    expect(await second).toEqual({ ok: true, value: true })
    respond({ id: 'id-9', result: 'a' })
    respond('nonsense')
    respond({ id: 'id-1', result: 'a' })
    expect(await first).toEqual({ ok: true, value: 'a' })
    respond({ id: 'id-1', result: 'b' })
    await turn()
    expect(clock.pending).toBe(0)
  })

  it.each([
    ['null, which is a cancelled answer', { result: null }, { ok: true, value: null }],
    ['an error', { error: 'No screen' }, { ok: false, error: 'client_error', message: 'No screen' }],
    [
      'an error with a message',
      { error: { code: 1, message: 'No' } },
      { ok: false, error: 'client_error', message: 'No' },
    ],
    ['both, of which the result wins', { result: 'a', error: 'No' }, { ok: true, value: 'a' }],
    [
      'an error beside an empty result',
      { result: null, error: 'No' },
      { ok: false, error: 'client_error', message: 'No' },
    ],
    ['neither', {}, { ok: false, error: 'invalid_response', message: 'invalid_response' }],
    ['no option', { result: 'c' }, { ok: false, error: 'invalid_response', message: 'invalid_response' }],
    ['of another type', { result: ['a'] }, { ok: false, error: 'invalid_response', message: 'invalid_response' }],
    ['an error without words', { error: 7 }, { ok: false, error: 'invalid_response', message: 'invalid_response' }],
  ])('is %s', async (_what, response, expected) => {
    const { ui, respond } = setUp()
    const asked = ui.select('Pick', OPTIONS)
    respond({ id: 'id-1', ...response })
    expect(await asked).toEqual(expected)
  })

  it('fits its question', async () => {
    const { ui, respond } = setUp()
    const asked = [
      ui.confirm('Sure?', ''),
      ui.input('Name', null),
      ui.select('Some', OPTIONS, { multiple: true }),
      ui.select('Own', OPTIONS, { custom: true }),
    ]
    const results = ['yes', 1, ['a', 'c'], 'mine']
    results.forEach((result, index) => respond({ id: `id-${index + 1}`, result }))
    const outcomes = await Promise.all(asked)
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error))).toEqual([
      ...['invalid_response', 'invalid_response', 'invalid_response', 'mine'],
    ])
  })

  it('comes in time, or not at all', async () => {
    const { ui, clock, respond } = setUp()
    const [slow, quick] = [ui.input('Slow', null), ui.input('Quick', null, { timeoutMs: 1000 })]
    clock.advance(1000)
    expect(await quick).toMatchObject({ ok: false, error: 'timeout' })
    clock.advance(TIMEOUT_MS - 1001)
    respond({ id: 'id-1', result: 'in time' })
    expect(await slow).toEqual({ ok: true, value: 'in time' })
    expect(clock.pending).toBe(0)
  })

  it('is not waited for any more when it is withdrawn', async () => {
    const { ui, clock, output } = setUp()
    const closing = new AbortController()
    const asked = ui.input('Name', null, { signal: closing.signal })
    closing.abort()
    expect(await asked).toMatchObject({ ok: false, error: 'withdrawn' })
    expect(await ui.input('Name', null, { signal: closing.signal })).toMatchObject({ error: 'withdrawn' })
    expect([clock.pending, output.values.length]).toEqual([0, 1])
  })

  it('may be long, and one that is too long is no answer', async () => {
    const { ui, respond } = setUp()
    const asked = ui.editor('Text', '')
    respond({ id: 'id-1', result: 'x'.repeat(2 * 1024 * 1024) })
    respond({ id: 'id-1', result: 'y'.repeat(100_000) })
    expect(await asked).toEqual({ ok: true, value: 'y'.repeat(100_000) })
  })
})

describe('the connection', () => {
  it('fails everything that waits when its input ends, and everything later at once', async () => {
    const { ui, input, clock } = setUp()
    const asked = [ui.confirm('One', ''), ui.input('Two', null)]
    input.end()
    for (const outcome of await Promise.all(asked)) expect(outcome).toMatchObject({ error: 'connection_closed' })
    expect(await ui.confirm('Late', '')).toMatchObject({ ok: false, error: 'connection_closed' })
    expect(clock.pending).toBe(0)
  })

  it('fails everything with another word when this side closes it', async () => {
    const { ui } = setUp()
    const asked = ui.confirm('One', '')
    ui.close()
    expect(await asked).toMatchObject({ ok: false, error: 'server_shutdown' })
    expect(await ui.confirm('Late', '')).toMatchObject({ ok: false, error: 'server_shutdown' })
  })

  it('reads on after an error, in the middle of a line, too', async () => {
    const inputs = [new PassThrough(), new PassThrough()]
    const { ui, clock, opened } = setUp({ inputs })
    const asked = ui.input('Name', null)
    inputs[0]!.write('{"id":"id-1",')
    await turn()
    inputs[0]!.destroy(Object.assign(new Error('try again'), { code: 'EAGAIN' }))
    await turn()
    expect(opened()).toBe(1)
    clock.advance(READER_PAUSE_MS)
    expect(opened()).toBe(2)
    inputs[1]!.write('"result":"ann"}\n')
    expect(await asked).toEqual({ ok: true, value: 'ann' })
  })

  it('closes after too many errors without a byte between them', async () => {
    const inputs = Array.from({ length: READER_RESTARTS_MAX + 1 }, () => new PassThrough())
    const { ui, clock } = setUp({ inputs })
    const asked = ui.input('Name', null)
    for (const input of inputs) {
      input.destroy(new Error('broken'))
      await turn()
      clock.advance(READER_PAUSE_MS)
    }
    expect(await asked).toMatchObject({ ok: false, error: 'connection_closed' })
  })

  it('closes when its output breaks, or when its client reads nothing', async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('broken pipe')) })
    const one = new RpcUi({ input: () => new PassThrough(), output: broken })
    expect(await one.confirm('One', '')).toMatchObject({ error: 'connection_closed' })
    const stuck = new Writable({ write: () => undefined })
    const other = new RpcUi({ input: () => new PassThrough(), output: stuck })
    const asked = other.confirm('One', '')
    other.setEditorText('x'.repeat(UNREAD_BYTES_MAX))
    expect(await asked).toMatchObject({ error: 'connection_closed' })
  })

  it('refuses more questions than it can hold', async () => {
    const { ui } = setUp()
    for (let asked = 0; asked < PENDING_MAX; asked++) void ui.confirm('One', '')
    expect(await ui.confirm('Too much', '')).toMatchObject({ ok: false, error: 'client_error' })
    ui.close()
  })

  it('shares nothing with another one', async () => {
    const [one, other] = [setUp(), setUp()]
    const asked = one.ui.input('Name', null)
    other.respond({ id: 'id-1', result: 'wrong' })
    await turn()
    one.respond({ id: 'id-1', result: 'right' })
    expect(await asked).toEqual({ ok: true, value: 'right' })
    expect(other.output.text).toBe('')
  })
})

import { DIALOG_TEXT_MAX, DIALOGS_OPEN_PER_RUN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import {
  after,
  askOf,
  command,
  completed,
  item,
  repliesTo,
  request,
  resolved,
  TURN,
} from '../../../../../../test/support/headless/codex-app-server.ts'
import { OPTIONS, THREAD } from '../../../../../../test/support/headless/codex.ts'

const { folder } = OPTIONS
const elicitation = (id: unknown, more: object) =>
  request(id, 'mcpServer/elicitation/request', { mode: 'form', ...more })
const form = (properties: object, required: readonly string[] = []) =>
  elicitation(1, { serverName: 'demo', message: 'Which?', requestedSchema: { type: 'object', properties, required } })
const questions = (...list: readonly object[]) => request(1, 'item/tool/requestUserInput', { questions: list })

/** The question about these changes of files. */
const changing = (...changes: readonly object[]) =>
  askOf(
    item('started', { type: 'fileChange', id: 'call-p', changes, status: 'inProgress' }),
    request(1, 'item/fileChange/requestApproval', { itemId: 'call-p', reason: 'to fix it' }),
  )
const added = (path: string) => ({ path, kind: { type: 'add' }, diff: 'one\n' })

describe('a question of Codex', () => {
  it('waits until Codex has the answer, or its turn is over', () => {
    expect(after(command(0), command(1)).asks()).toHaveLength(2)
    expect(after(command(0), command(1), resolved(0)).asks()).toMatchObject([{ id: `${TURN}/1` }])
    expect(after(command(0), completed()).asks()).toEqual([])
    expect(after(command(0), resolved(5), resolved('0')).asks()).toHaveLength(1)
  })

  it('has the same list as long as nothing changes, so that nothing is compared for each line', () => {
    const reading = after(command(0))
    const before = reading.asks()
    reading.line(JSON.stringify(resolved(7)), 0)
    expect(reading.asks()).toBe(before)
  })

  it('has a name of its own in each process of a task, although Codex counts from 0', () => {
    const other = request(0, 'item/commandExecution/requestApproval', { turnId: 'the-next-turn', command: 'ls' })
    expect(askOf(command(0)).id).not.toBe(askOf(other).id)
  })

  it('of another agent that the model has begun is asked, too', () => {
    expect(askOf(command(0, 'ls', { threadId: 'another-thread', turnId: 'another-turn' })).id).toBe('another-turn/0')
  })

  it('beyond the highest number is refused at once', () => {
    const reading = after(...Array.from({ length: DIALOGS_OPEN_PER_RUN + 1 }, (_, id) => command(id)))
    expect(reading.asks()).toHaveLength(DIALOGS_OPEN_PER_RUN)
    expect(reading.messages().map(({ line }) => JSON.parse(line) as unknown)).toMatchObject([
      { id: DIALOGS_OPEN_PER_RUN, result: { decision: 'decline' } },
    ])
  })
})

describe('a command', () => {
  const shown = (...args: Parameters<typeof command>) => askOf(command(...args)).question

  it('is shown as the script that its shell runs, and cannot be changed', () => {
    expect(shown(0, `/bin/bash -lc 'touch x'`)).toMatchObject({ command: 'touch x', editable: false, path: null })
  })

  it('that runs in another folder says so', () => {
    expect(shown(0, '/bin/bash -lc ls', { cwd: '/etc' })).toMatchObject({ command: 'cd /etc && ls' })
    expect(shown(0, 'ls', { cwd: "/tmp/it's here" })).toMatchObject({ command: `cd '/tmp/it'\\''s here' && ls` })
  })

  it('is cut, however long it is', () => {
    const question = shown(0, 'x'.repeat(DIALOG_TEXT_MAX + 1))
    expect(question).toMatchObject({ kind: 'approval', command: expect.stringMatching(/x…$/) as string })
  })

  it('that is no command that starts is shown with all that Codex says of it', () => {
    expect(shown(0, 'yes', { kind: 'writeStdin' })).toMatchObject({ command: null, input: { kind: 'writeStdin' } })
    expect(shown(0, null)).toMatchObject({ command: null })
  })

  it('is allowed once, or declined; the reason of a denial is a message to the turn', () => {
    const ask = askOf(command(7))
    expect(repliesTo(ask, { decision: 'allow' })).toMatchObject([{ id: 7, result: { decision: 'accept' } }])
    for (const answer of [null, { decision: 'deny' }, { decision: 'deny', reason: ' ' }] as const)
      expect(repliesTo(ask, answer)).toMatchObject([{ id: 7, result: { decision: 'decline' } }])
    const text = 'The user does not allow this: touch x\nReason: Not\ntoday.'
    expect(repliesTo(ask, { decision: 'deny', reason: 'Not\ntoday.' })).toMatchObject([
      { method: 'turn/steer', params: { threadId: THREAD, expectedTurnId: TURN, input: [{ text }] } },
      { id: 7, result: { decision: 'decline' } },
    ])
  })
})

describe('a change of files', () => {
  it('of one file shows the text before and after', () => {
    const { title, question, files } = changing({
      ...{ path: `${folder}/a.ts`, kind: { type: 'update', move_path: null } },
      diff: '@@ -1,2 +1,2 @@\n-a\n+b\n c\n',
    })
    expect(title).toBe('Codex wants to change a file')
    expect(question).toMatchObject({
      ...{ tool: 'apply_patch', path: `${folder}/a.ts`, why: 'to fix it' },
      input: { old_string: 'a\nc', new_string: 'b\nc' },
    })
    expect(files).toEqual([{ path: `${folder}/a.ts`, isDeleted: false }])
    expect(changing(added('/a')).question).toMatchObject({ input: { content: 'one\n' } })
    const gone = changing({ path: '/a', kind: { type: 'delete' }, diff: 'one\n' })
    expect(gone).toMatchObject({
      question: { input: { old_string: 'one\n', new_string: '' } },
      files: [{ isDeleted: true }],
    })
  })

  it('of several files shows the patch, and every file counts for its grade', () => {
    const moved = { path: '/a', kind: { type: 'update', move_path: '/b' }, diff: '@@\n-a\n+b\n' }
    const { question, files } = changing(moved, added('/c'))
    expect(question).toMatchObject({ path: null, input: 'modified /a -> /b\n@@\n-a\n+b\n\nadded /c\none\n' })
    expect(files?.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
  })

  it('that Codex has not described has no path, so it is graded as unknown', () => {
    const ask = askOf(request(1, 'item/fileChange/requestApproval', { itemId: 'other' }))
    expect(ask).toMatchObject({ question: { path: null, input: null } })
    expect(ask.files).toBeUndefined()
  })
})

describe('what an MCP server asks', () => {
  it('is a permission for a tool', () => {
    const _meta = { codex_approval_kind: 'mcp_tool_call', tool_name: 'use', tool_params: { a: 1 } }
    const ask = askOf(elicitation(1, { serverName: 'demo', message: 'Allow?', _meta }))
    expect(ask).toMatchObject({
      title: 'Codex wants to use use of demo',
      question: { kind: 'approval', tool: 'mcp__demo__use', input: { a: 1 } },
    })
    expect(repliesTo(ask, { decision: 'allow' })).toMatchObject([{ result: { action: 'accept', content: {} } }])
    expect(repliesTo(ask, { decision: 'deny' })).toMatchObject([{ result: { action: 'decline' } }])
  })

  it('is a form, with every kind of field', () => {
    const { question, message } = askOf(
      form(
        {
          name: { type: 'string', title: 'Name', description: 'Yours' },
          count: { type: 'integer' },
          share: { type: 'number' },
          sure: { type: 'boolean' },
          colour: { type: 'string', enum: ['r', 'b'], enumNames: ['Red'] },
          size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
          tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
        },
        ['name'],
      ),
    )
    expect(message).toBe('Which?')
    expect(question).toMatchObject({
      kind: 'form',
      fields: [
        { name: 'name', label: 'Name', description: 'Yours', type: 'string', required: true, options: null },
        { name: 'count', type: 'integer', required: false },
        { name: 'share', type: 'number' },
        { name: 'sure', type: 'boolean' },
        {
          type: 'select',
          multiple: false,
          options: [
            { value: 'r', label: 'Red' },
            { value: 'b', label: 'b' },
          ],
        },
        { type: 'select', options: [{ value: 's', label: 'Small' }] },
        { name: 'tags', type: 'select', multiple: true, options: [{ value: 'x' }, { value: 'y' }] },
      ],
    })
  })

  it('is answered with the values, or declined', () => {
    const ask = askOf(form({ count: { type: 'integer' } }))
    expect(repliesTo(ask, { value: { count: 2 } })).toMatchObject([
      { id: 1, result: { action: 'accept', content: { count: 2 } } },
    ])
    expect(repliesTo(ask, null)).toMatchObject([{ id: 1, result: { action: 'decline', content: null } }])
  })

  it('without a field is a question with yes or no', () => {
    const ask = askOf(form({}))
    expect(ask.question).toEqual({ kind: 'confirm' })
    expect(repliesTo(ask, { value: true })).toMatchObject([{ result: { action: 'accept' } }])
    expect(repliesTo(ask, { value: false })).toMatchObject([{ result: { action: 'decline' } }])
  })

  it.each<[what: string, properties: object]>([
    ['a field of another type', { x: { type: 'object' } }],
    ['a name that is too long', { ['x'.repeat(201)]: { type: 'string' } }],
    ['too many fields', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: 'string' }]))],
    ['too many options', { x: { type: 'string', enum: Array.from({ length: 101 }, (_, at) => `${at}`) } }],
    ['an option that is too long', { x: { type: 'string', enum: ['x'.repeat(1001)] } }],
  ])('is declined with %s, because people could not answer it', (_what, properties) => {
    const reading = after(form(properties))
    expect(reading.asks()).toEqual([])
    expect(reading.messages()).toHaveLength(1)
  })
})

describe('a question of Codex itself', () => {
  const colour = { id: 'q1', header: 'Colour', question: 'Which?', isOther: true, isSecret: false }
  const options = [{ label: 'Red', description: 'Warm' }]

  it('is a form by the ids of its questions', () => {
    const ask = askOf(questions({ ...colour, options }, { id: 'q2', question: 'Why?', options: null }))
    expect(ask.question).toMatchObject({
      fields: [
        {
          name: 'q1',
          label: 'Colour',
          description: 'Which?',
          type: 'select',
          custom: true,
          options: [{ value: 'Red' }],
        },
        { name: 'q2', type: 'string', options: null },
      ],
    })
    expect(repliesTo(ask, { value: { q1: 'Red', q2: 'so' } })).toMatchObject([
      { result: { answers: { q1: { answers: ['Red'] }, q2: { answers: ['so'] } } } },
    ])
    expect(repliesTo(ask, null)).toMatchObject([{ result: { answers: {} } }])
  })

  it('is not asked if the answer is a secret, because answers are stored', () => {
    expect(after(questions({ ...colour, isSecret: true })).asks()).toEqual([])
  })
})

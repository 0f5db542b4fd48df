import { describe, expect, it } from 'vitest'
import { read, call, end } from '../../../../../test/support/headless/copilot.ts'

describe('the reader of the tools of Copilot', () => {
  it('reports a command with its exit code, and without the line that Copilot adds', () => {
    const content = 'err\nout\n<shellId: 0 completed with exit code 3>'
    const { happenings } = read([
      call('bash', { command: 'make', description: 'build' }),
      end({ shellExecution: { exitCode: 3 }, result: { content } }),
    ])
    expect(happenings).toEqual([
      { type: 'command', callId: 'call_1', command: 'make', state: 'started', exitCode: null, output: '' },
      { type: 'command', callId: 'call_1', command: 'make', state: 'ended', exitCode: 3, output: 'err\nout' },
    ])
  })

  it('takes the exit code from the contents, and none where there is none', () => {
    const contents = [{ type: 'shell_exit', exitCode: 1 }]
    const first = read([call('bash', { command: 'x' }), end({ result: { content: '', contents } })])
    expect(first.happenings.at(-1)).toMatchObject({ state: 'ended', exitCode: 1 })
    const denied = read([call('bash', { command: 'x' }), end({ success: false, error: { message: 'Denied.' } })])
    expect(denied.happenings.at(-1)).toMatchObject({ state: 'ended', exitCode: null, output: 'Denied.' })
  })

  it.each([
    ['create', { path: '/w/a', file_text: 'x' }, [{ path: '/w/a', change: 'added' }]],
    ['edit', { path: '/w/a', old_str: 'x', new_str: 'y' }, [{ path: '/w/a', change: 'modified' }]],
    ['view', { path: '/w/a' }, []],
    [
      'apply_patch',
      '*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b c\n@@\n*** Delete File: d\n*** End Patch\n',
      [
        { path: 'a', change: 'added' },
        { path: 'b c', change: 'modified' },
        { path: 'd', change: 'deleted' },
      ],
    ],
  ])('reports the files that %s has changed, if it succeeded', (name, input, changes) => {
    const { happenings } = read([call(name, input), end({ result: { content: 'OK' } })])
    expect(happenings).toEqual([
      { type: 'tool_call', callId: 'call_1', name, input },
      { type: 'tool_result', callId: 'call_1', text: 'OK', isError: false },
      ...changes.map((change) => ({ type: 'file_change', callId: 'call_1', ...change })),
    ])
    const refused = read([call(name, input), end({ success: false, error: { message: 'No.' } })]).happenings
    expect(refused.slice(1)).toEqual([{ type: 'tool_result', callId: 'call_1', text: 'No.', isError: true }])
  })

  it('reports a to-do list as a plan, and anything else of that tool as a call', () => {
    const todos = '# Plan\n- [x] Read\n- [~] Write\n- [ ] Test'
    expect(read([call('update_todo', { todos }), end({ result: { content: 'Updated' } })]).happenings).toEqual([
      {
        type: 'plan',
        items: [
          { text: 'Read', state: 'completed' },
          { text: 'Write', state: 'in_progress' },
          { text: 'Test', state: 'pending' },
        ],
      },
    ])
    expect(read([call('update_todo', { todos: 7 })]).happenings).toMatchObject([{ type: 'tool_call' }])
  })
})

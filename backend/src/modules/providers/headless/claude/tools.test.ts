import { describe, expect, it } from 'vitest'
import { says, calls, returns, read } from '../../../../../test/support/headless/claude.ts'

describe('a tool of Claude', () => {
  const command = { type: 'command', callId: 'call-1', command: 'make' }
  const bash = calls('Bash', { command: 'make', description: 'Build' })
  const started = { ...command, state: 'started', exitCode: null, output: '' }
  const clean = { stdout: 'built', stderr: 'warned', interrupted: false }

  it.each([
    ['succeeds', returns('built\nwarned', clean), 0, 'built\nwarned'],
    ['prints nothing', returns('(Bash completed with no output)', { stdout: '', stderr: '' }), 0, ''],
    ['fails', returns('Exit code 2\nno rule', 'Error: Exit code 2\nno rule', true), 2, 'no rule'],
    ['is refused', returns('denied', 'Error: denied', true), null, 'denied'],
    ['has a code that Claude explains', returns('', { ...clean, returnCodeInterpretation: 'No matches' }), null],
    ['is interrupted', returns('', { ...clean, interrupted: true }), null],
    ['has a result without details', returns([{ type: 'text', text: 'built' }]), null, 'built'],
  ])('is a command that %s', (_, result, exitCode, output = 'built\nwarned') => {
    const { happenings, verdict } = read(bash, result)
    expect(happenings).toEqual([started, { ...command, state: 'ended', exitCode, output }])
    expect(verdict.hasWorked).toBe(true)
  })

  it('is a command that ends in the background, after its result', () => {
    const text = 'Command running in background with ID: b1.'
    const background = returns(text, { stdout: '', stderr: '', backgroundTaskId: 'b1' })
    const summary = 'Background command "Build" failed with exit code 3'
    const ended = { type: 'system', subtype: 'task_notification', task_id: 'b1', status: 'failed', summary }
    expect(read(bash, background, ended, ended).happenings).toEqual([
      started,
      { type: 'status', status: 'background', message: text },
      { ...command, state: 'ended', exitCode: 3, output: summary },
      { type: 'status', status: 'background', message: summary },
    ])
  })

  it.each([
    ['Write', { file_path: '/w/a', content: '1' }, { type: 'create', filePath: '/w/a' }, 'added'],
    ['Write', { file_path: '/w/a', content: '1' }, { type: 'update', filePath: '/w/a' }, 'modified'],
    ['Edit', { file_path: '/w/a', old_string: '1', new_string: '2' }, { filePath: '/w/a' }, 'modified'],
    ['NotebookEdit', { notebook_path: '/w/a', new_source: '2' }, null, 'modified'],
  ])('changes a file only if the result says so: %s', (name, input, details, change) => {
    const call = { type: 'tool_call', callId: 'call-1', name, input }
    expect(read(calls(name, input), returns('ok', details)).happenings).toEqual([
      call,
      { type: 'tool_result', callId: 'call-1', text: 'ok', isError: false },
      { type: 'file_change', callId: 'call-1', path: '/w/a', change },
    ])
    expect(read(calls(name, input), returns('no', 'Error: no', true)).happenings).toEqual([
      call,
      { type: 'tool_result', callId: 'call-1', text: 'no', isError: true },
    ])
  })

  it('is a plan and nothing else if it keeps the todos', () => {
    const todos = [
      { content: 'Read', status: 'completed', activeForm: 'Reading' },
      { content: 'Write', status: 'pending', activeForm: 'Writing' },
    ]
    expect(read(calls('TodoWrite', { todos }), returns('ok')).happenings).toEqual([
      {
        type: 'plan',
        items: [
          { text: 'Read', state: 'completed' },
          { text: 'Write', state: 'pending' },
        ],
      },
    ])
  })

  it('is a call and a result in all other cases', () => {
    const parts = [{ type: 'text', text: 'one' }, { type: 'image', source: {} }, { type: 'other' }]
    expect(read(calls('mcp__web__echo', { text: 'one' }), returns(parts)).happenings).toEqual([
      { type: 'tool_call', callId: 'call-1', name: 'mcp__web__echo', input: { text: 'one' } },
      { type: 'tool_result', callId: 'call-1', text: 'one\n[image]', isError: false },
    ])
  })

  it('counts as work in a subagent, whose sentences are left out', () => {
    const of = { parent_tool_use_id: 'call-0' }
    const result = { ...returns('built\nwarned', clean), ...of }
    expect(read(says('I look.', of))).toMatchObject({ happenings: [], verdict: { hasWorked: false } })
    const { happenings, verdict } = read(calls('Bash', { command: 'make' }, of), result)
    expect(happenings.map(({ type }) => type)).toEqual(['command', 'command'])
    expect(verdict.hasWorked).toBe(true)
  })
})

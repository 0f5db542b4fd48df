import { describe, expect, it } from 'vitest'
import { reader, use, done, refused } from '../../../../../test/support/headless/gemini.ts'
import { feed } from '../../../../../test/support/headless/reading.ts'

describe('what Gemini prints of its tools', () => {
  it('shows a command of the shell once as started and once as ended', () => {
    const command = { type: 'command', callId: 'call', command: 'ls -l' }
    const ends = (result: unknown) => feed(reader(), use('run_shell_command', { command: 'ls -l' }), result)
    expect(ends(done(''))).toEqual([
      { ...command, state: 'started', exitCode: null, output: '' },
      { ...command, state: 'ended', exitCode: 0, output: '' },
    ])
    expect(ends(done('Command exited with code: 3'))[1]).toMatchObject({ exitCode: 3 })
    // With output Gemini prints no code.
    expect(ends(done('a\nb'))[1]).toEqual({ ...command, state: 'ended', exitCode: null, output: 'a\nb' })
    expect(ends(refused('denied by policy'))[1]).toMatchObject({ exitCode: null, output: 'denied by policy' })
  })

  it('shows a change of a file only where it succeeded, with the absolute path', () => {
    const input = { file_path: 'src/../a.txt', content: 'x' }
    expect(feed(reader(), use('write_file', input), done())).toEqual([
      { type: 'tool_call', callId: 'call', name: 'write_file', input },
      { type: 'tool_result', callId: 'call', text: '', isError: false },
      { type: 'file_change', callId: 'call', path: '/home/developer/project/a.txt', change: 'modified' },
    ])
    const replace = (old_string: string) => use('replace', { file_path: '/tmp/b', old_string, new_string: 'y' })
    expect(feed(reader(), replace(''), done())[2]).toMatchObject({ path: '/tmp/b', change: 'added' })
    expect(feed(reader(), replace('x'), done())[2]).toMatchObject({ path: '/tmp/b', change: 'modified' })
    expect(feed(reader(), replace('x'), refused('no match'))).toMatchObject([
      { type: 'tool_call' },
      { type: 'tool_result', text: 'no match', isError: true },
    ])
  })

  it('shows todos as a plan, and as a call where they were refused', () => {
    const todos = [
      { description: 'one', status: 'completed' },
      { description: 'two', status: 'in_progress' },
      { description: 'three', status: 'blocked' },
      { description: 'four', status: 'cancelled' },
      { description: 5, status: 'pending' },
    ]
    expect(feed(reader(), use('write_todos', { todos }), done('x'))).toEqual([
      {
        type: 'plan',
        items: [
          { text: 'one', state: 'completed' },
          { text: 'two', state: 'in_progress' },
          { text: 'three', state: 'pending' },
        ],
      },
    ])
    expect(feed(reader(), use('write_todos', { todos }), refused('bad'))).toMatchObject([
      { type: 'tool_call', name: 'write_todos' },
      { type: 'tool_result', isError: true },
    ])
  })

  it('connects results with their calls, in any order', () => {
    const happenings = feed(
      reader(),
      use('run_shell_command', { command: 'a' }, '1'),
      use('mcp_x', {}, '2'),
      done('two', '2'),
      done('one', '1'),
      done('again', '1'),
    )
    expect(happenings.slice(2)).toMatchObject([
      { type: 'tool_result', callId: '2', text: 'two' },
      { type: 'command', callId: '1', state: 'ended', output: 'one' },
      { type: 'tool_result', callId: '1', text: 'again' },
    ])
  })
})

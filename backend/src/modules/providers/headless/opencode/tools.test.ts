import { describe, expect, it } from 'vitest'
import { reader, use } from '../../../../../test/support/headless/opencode.ts'
import { feed } from '../../../../../test/support/headless/reading.ts'

describe('what OpenCode prints of its tools', () => {
  it('shows a command of the shell as started and as ended', () => {
    const command = { type: 'command', callId: 'call', command: 'ls' }
    const state = (output: string, exit: unknown) => ({ input: { command: 'ls' }, output, metadata: { exit } })
    expect(feed(reader(), use('bash', state('a\n', 2)))).toEqual([
      { ...command, state: 'started', exitCode: null, output: '' },
      { ...command, state: 'ended', exitCode: 2, output: 'a\n' },
    ])
    expect(feed(reader(), use('bash', state('(no output)', 0)))[1]).toMatchObject({ exitCode: 0, output: '' })
    expect(feed(reader(), use('bash', state('x', null)))[1]).toMatchObject({ exitCode: null })
    const denied = { status: 'error', input: { command: 'ls' }, error: 'denied' }
    expect(feed(reader(), use('bash', denied))[1]).toMatchObject({ exitCode: null, output: 'denied' })
  })

  it('shows changes of files only where they succeeded, with absolute paths', () => {
    const changes = (tool: string, state: object) =>
      feed(reader(), use(tool, state)).flatMap((one) => (one.type === 'file_change' ? [[one.path, one.change]] : []))
    const write = {
      input: { filePath: 'a.txt' },
      metadata: { filepath: '/home/developer/project/a.txt', exists: false },
    }
    expect(feed(reader(), use('write', write))).toEqual([
      { type: 'tool_call', callId: 'call', name: 'write', input: write.input },
      { type: 'tool_result', callId: 'call', text: 'ok', isError: false },
      { type: 'file_change', callId: 'call', path: '/home/developer/project/a.txt', change: 'added' },
    ])
    expect(changes('write', { input: { filePath: 'b' } })).toEqual([['/home/developer/project/b', 'modified']])
    expect(changes('edit', { input: { filePath: '/c', oldString: 'x' } })).toEqual([['/c', 'modified']])
    expect(changes('edit', { input: { filePath: '/c', oldString: '' } })).toEqual([['/c', 'added']])
    expect(changes('edit', { status: 'error', input: { filePath: '/c' }, error: 'no match' })).toEqual([])
    const files = [
      { filePath: '/a', type: 'add' },
      { filePath: '/b', type: 'update' },
      { filePath: '/c', type: 'delete' },
      { filePath: '/d', type: 'move', movePath: '/e' },
      { filePath: '/f', type: 'constructor' },
      { filePath: 7, type: 'add' },
    ]
    expect(changes('apply_patch', { input: {}, metadata: { files } })).toEqual([
      ['/a', 'added'],
      ['/b', 'modified'],
      ['/c', 'deleted'],
      ['/d', 'deleted'],
      ['/e', 'added'],
    ])
  })

  it('shows todos as a plan', () => {
    const todos = [
      { content: 'one', status: 'in_progress', priority: 'high' },
      { content: 'two', status: 'cancelled' },
      { content: 'three', status: 'pending' },
    ]
    expect(feed(reader(), use('todowrite', { input: { todos } }))).toEqual([
      {
        type: 'plan',
        items: [
          { text: 'one', state: 'in_progress' },
          { text: 'three', state: 'pending' },
        ],
      },
    ])
  })

  it('leaves out old calls, which OpenCode prints again when it removes their output', () => {
    const reading = reader()
    expect(feed(reading, use('bash', { input: { command: 'ls' }, time: { start: 1, end: 2, compacted: 3 } }))).toEqual(
      [],
    )
    expect(reading.verdict().hasWorked).toBe(false)
  })
})

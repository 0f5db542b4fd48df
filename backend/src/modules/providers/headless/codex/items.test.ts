import { describe, expect, it } from 'vitest'
import { read, completed } from '../../../../../test/support/headless/codex.ts'

describe('the reader of the tools of Codex', () => {
  it('reports a command once when it starts and once when it has ended, with an exit code if there is one', () => {
    const item = { id: 'item_0', type: 'command_execution', command: 'false', aggregated_output: 'no\n' }
    const { happenings } = read([
      { type: 'item.started', item: { ...item, aggregated_output: '', exit_code: null } },
      { type: 'item.updated', item },
      { type: 'item.completed', item: { ...item, exit_code: 1, status: 'failed' } },
      { type: 'item.completed', item: { ...item, exit_code: null, status: 'declined' } },
    ])
    expect(happenings).toMatchObject([
      { type: 'command', state: 'started', exitCode: null, output: '' },
      { type: 'command', state: 'ended', exitCode: 1, output: 'no\n' },
      { type: 'command', state: 'ended', exitCode: null },
    ])
  })

  it('reports the files of a patch only if the patch has succeeded', () => {
    const changes = [
      { path: 'a', kind: 'add' },
      { path: 'b', kind: 'update' },
      { path: 'c', kind: 'delete' },
      { path: 'd', kind: '__proto__' },
    ]
    const { happenings } = read([completed({ type: 'file_change', changes, status: 'completed' })])
    expect(happenings).toMatchObject([
      { type: 'tool_call', name: 'apply_patch' },
      { type: 'tool_result', isError: false },
      { type: 'file_change', path: 'a', change: 'added' },
      { type: 'file_change', path: 'b', change: 'modified' },
      { type: 'file_change', path: 'c', change: 'deleted' },
    ])
    expect(happenings).toHaveLength(5)
    const refused = read([completed({ type: 'file_change', changes, status: 'failed' })]).happenings
    expect(refused).toMatchObject([{ type: 'tool_call' }, { type: 'tool_result', isError: true }])
  })

  it('reports a call that was printed when it started only once', () => {
    const item = { id: 'item_0', type: 'mcp_tool_call', server: 'loc', tool: 'echo', arguments: { text: 'one' } }
    const { happenings } = read([
      { type: 'item.started', item: { ...item, status: 'in_progress' } },
      { type: 'item.completed', item: { ...item, error: { message: 'boom' }, status: 'failed' } },
    ])
    expect(happenings).toEqual([
      { type: 'tool_call', callId: 'item_0', name: 'mcp__loc__echo', input: { text: 'one' } },
      { type: 'tool_result', callId: 'item_0', text: 'boom', isError: true },
    ])
  })

  it('shows the query of a search, which is known only at its end', () => {
    const item = { id: 'ws_1', type: 'web_search', query: '' }
    const { happenings } = read([
      { type: 'item.started', item },
      { type: 'item.completed', item: { ...item, query: 'weather' } },
    ])
    expect(happenings).toMatchObject([
      { type: 'tool_call', name: 'web_search', input: { query: 'weather' } },
      { type: 'tool_result', isError: false },
    ])
  })

  it('reports a to-do list when it changes, and not again at the end of the turn', () => {
    const list = (isDone: boolean) => ({
      id: 'item_2',
      type: 'todo_list',
      items: [{ text: 'Test', completed: isDone }],
    })
    const { happenings } = read([
      { type: 'item.started', item: list(false) },
      { type: 'item.updated', item: list(true) },
      { type: 'item.completed', item: list(true) },
    ])
    expect(happenings).toEqual([
      { type: 'plan', items: [{ text: 'Test', state: 'pending' }] },
      { type: 'plan', items: [{ text: 'Test', state: 'completed' }] },
    ])
  })
})

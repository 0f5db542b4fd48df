import { describe, expect, it } from 'vitest'
import { call, init, OPTIONS, read, reader, result, say, SESSION } from '../../../../../test/support/headless/cursor.ts'
import { HOSTILE_VALUES, NOW } from '../../../../../test/support/headless/reading.ts'
import { headless } from '../cursor.ts'

describe('the program of Cursor', () => {
  it('has its prompt on standard input, and runs commands only if the agent skips permission prompts', () => {
    const { argv, stdin } = headless.program(OPTIONS)
    expect(argv).toEqual(['cursor-agent', '-p', '--output-format', 'stream-json', '--force'])
    expect(new TextDecoder().decode(stdin)).toBe(OPTIONS.prompt)
    const other = headless.program({ ...OPTIONS, skips: false, model: 'gpt-5', resume: SESSION })
    expect(other.argv.slice(4)).toEqual(['--model', 'gpt-5', '--resume', SESSION])
  })
})

describe('the reader of Cursor', () => {
  it('takes the last message for the answer, since the result has all of them', () => {
    const { happenings, verdict } = read([init, say('I look.'), say('Done.'), { ...result, result: 'I look.Done.' }])
    expect(happenings.at(-1)).toEqual({ type: 'result', text: 'Done.', isError: false })
    expect(verdict).toMatchObject({ sessionId: SESSION, result: 'Done.', isOver: true, hasWorked: true, failure: null })
  })

  it('takes the result for the answer if there was no message', () => {
    expect(read([init, result]).verdict).toMatchObject({ result: 'All.', hasWorked: true })
    expect(read([init, { ...result, result: '' }]).verdict).toMatchObject({ result: null, hasWorked: false })
  })

  it('says that it resumed', () => {
    expect(read([init], { resume: SESSION }).happenings).toMatchObject([{ type: 'status', status: 'resumed' }])
  })

  it('gives a command with its exit code, also of one that failed or was refused', () => {
    const ended = (answer: object) => read([call('completed', 'shellToolCall', { command: 'ls' }, answer)]).happenings
    const failure = { failure: { exitCode: 2, stdout: 'a', stderr: 'b' } }
    expect(ended(failure)).toMatchObject([{ type: 'command', state: 'ended', exitCode: 2, output: 'ab' }])
    const rejected = { rejected: { reason: 'Command requires approval' } }
    expect(ended(rejected)).toMatchObject([{ exitCode: null, output: 'Command requires approval' }])
  })

  it.each([
    ['writeToolCall', { success: { path: 'a', linesCreated: 1 } }, 'added'],
    ['writeToolCall', { success: { path: 'a' } }, 'modified'],
    ['editToolCall', { success: { diffString: '--- /dev/null\n+++ b/a' } }, 'added'],
    ['editToolCall', { success: { diffString: '--- a/a\n+++ b/a' } }, 'modified'],
    ['deleteToolCall', { success: {} }, 'deleted'],
    ['editToolCall', { error: { error: 'no such text' } }, null],
    ['readToolCall', { success: { content: 'x' } }, null],
  ])('tells the file that %s has changed', (tool, answer, change) => {
    const { happenings } = read([call('completed', tool, { path: 'a' }, answer)])
    expect(happenings[0]).toMatchObject({ type: 'tool_result', isError: 'error' in answer })
    const changed = { type: 'file_change', callId: 'call_1', path: '/home/developer/project/a', change }
    expect(happenings.slice(1)).toEqual(change === null ? [] : [changed])
  })

  it.each([
    ["Error: Authentication required. Please run 'cursor-agent login' first, or set CURSOR_API_KEY.", 'not_signed_in'],
    ['\u001b[33mPress any key to sign in...\u001b[0m', 'not_signed_in'],
    ["Error: You've hit your usage limit. Try again in 2 hours", 'usage_limit'],
    ['Workspace Trust Required', 'cli_error'],
    ['Error: Cannot use this model: x', 'cli_error'],
  ])('fails with the sentence that it prints in place of a result: %s', (line, reason) => {
    const reading = reader()
    expect(reading.errorLine?.(line, NOW)).toHaveLength(1)
    expect(reading.verdict()).toMatchObject({ isOver: false, failure: { reason } })
    expect(read([line]).verdict.failure?.reason).toBe(reason)
    // It goes on.
    expect(read([line, say('Done.')]).verdict.failure).toBeNull()
  })

  it('fails with a result that is an error', () => {
    const { happenings, verdict } = read([init, { ...result, is_error: true, result: 'The model is gone.' }])
    expect(happenings.slice(1)).toEqual([
      { type: 'error', message: 'The model is gone.', status: null },
      { type: 'result', text: 'The model is gone.', isError: true },
    ])
    expect(verdict).toMatchObject({ isOver: true, failure: { reason: 'cli_error' } })
  })

  it('gives the thoughts in pieces, which a secret may cross', () => {
    const line = JSON.stringify({ type: 'thinking', subtype: 'delta', text: 'Hm' })
    expect(reader().delta?.(line)).toMatchObject({ stream: 'thinking', text: 'Hm' })
    const masked = reader().delta?.(line)
    if (masked === null || masked === undefined || masked === 'aside') throw new Error('no delta')
    expect(read([masked.with('***')]).happenings).toEqual([{ type: 'thinking', text: '***' }])
    expect(reader().delta?.(JSON.stringify(say('Hm')))).toBeNull()
  })
})

describe('a hostile line of Cursor', () => {
  it('with any type in any field is read without an error', () => {
    for (const value of HOSTILE_VALUES) {
      const lines = [
        { ...init, session_id: value, model: value },
        say(value),
        { type: 'assistant', message: value },
        { type: 'thinking', subtype: 'delta', text: value },
        { type: 'tool_call', subtype: 'started', call_id: value, tool_call: value },
        { type: 'tool_call', subtype: 'completed', tool_call: { function: { name: value, arguments: value } } },
        ...['shellToolCall', 'writeToolCall', 'updateTodosToolCall', '__proto__ToolCall'].flatMap((tool) => [
          call('started', tool, value),
          call('completed', tool, { path: value, command: value, todos: value }, { success: value }),
          call('completed', tool, value, { success: { exitCode: value, path: value, todos: [value] } }),
        ]),
        { type: 'error', message: value },
        { ...result, is_error: value, result: value, subtype: value },
      ]
      expect(read(lines).verdict.isOver).toBe(true)
    }
  })

  it('is read in a short time, however long it is', () => {
    const reading = reader()
    for (const line of ['Error: '.repeat(100_000), 'you hit your '.repeat(100_000), 'x'.repeat(1_000_000)])
      reading.errorLine?.(line, NOW)
    expect(reading.verdict().isOver).toBe(false)
  })
})

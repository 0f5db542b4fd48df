// The lines that each built-in CLI prints, for the CLI of the tests. `total` is the cost of the session so far in US dollars,
// `share` that since the last result. Tokens are 1,000 a dollar. Every function answers a list of lines.
const MODEL = 'stub-model'

const tokens = (dollars) => Math.round(dollars * 1_000)

/** Lines that are no JSON. */
const text = {
  init: () => [],
  say: (said) => [said],
  tool: (command) => [`$ ${command}`],
  result: (said) => [said],
}

/** `session` is the CLI's own name of its session. */
export const formsOf = (session) => {
  const claude = {
    init: () => [{ type: 'system', subtype: 'init', session_id: session }],
    say: (text) => [{ type: 'assistant', message: { content: [{ type: 'text', text }] } }],
    tool: (command) => [
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 'call-1', name: 'Bash', input: { command } }] },
      },
    ],
    result: (text, { total }) => [
      {
        ...{ type: 'result', subtype: 'success', is_error: false, session_id: session, result: text },
        total_cost_usd: total,
        modelUsage: { [MODEL]: { inputTokens: tokens(total), outputTokens: 0, costUSD: total } },
      },
    ],
    /** What it prints when it is interrupted. */
    interrupted: ({ total }) => [
      { ...claude.result('', { total })[0], subtype: 'error_during_execution', is_error: true },
    ],
  }

  /** A custom provider names no models. */
  const custom = {
    ...claude,
    result: (text, { total }) => [
      { type: 'result', subtype: 'success', is_error: false, result: text, total_cost_usd: total },
    ],
    interrupted: undefined,
  }

  const codexItem = (stage, item) => ({ type: `item.${stage}`, item })
  const codex = {
    init: () => [{ type: 'thread.started', thread_id: session }, { type: 'turn.started' }],
    say: (text) => [codexItem('completed', { id: 'item_0', type: 'agent_message', text })],
    tool: (command) => [
      codexItem('started', { id: 'item_1', type: 'command_execution', command, status: 'in_progress' }),
    ],
    result: (text, { total }) => [
      ...codex.say(text),
      { type: 'turn.completed', usage: { input_tokens: tokens(total), cached_input_tokens: 0, output_tokens: 0 } },
    ],
  }

  const geminiText = (content) => ({ type: 'message', role: 'assistant', content, delta: true })
  const gemini = {
    init: () => [{ type: 'init', session_id: session, model: MODEL }],
    // Texts belong to one answer until a tool follows.
    say: (text) => [
      geminiText(text),
      ...gemini.tool('true'),
      { type: 'tool_result', tool_id: 'call-1', status: 'success', output: '' },
    ],
    tool: (command) => [
      { type: 'tool_use', tool_name: 'run_shell_command', tool_id: 'call-1', parameters: { command } },
    ],
    // Each process counts by itself.
    result: (text, { total, before }) => [
      geminiText(text),
      {
        ...{ type: 'result', status: 'success' },
        stats: { total_tokens: tokens(total - before), input_tokens: tokens(total - before), output_tokens: 0 },
      },
    ],
  }

  const copilotEvent = (type, data = {}) => ({ type, data })
  const copilot = {
    init: () => [copilotEvent('user.message'), copilotEvent('assistant.turn_start')],
    say: (text) => [copilotEvent('assistant.message', { messageId: 'message-1', content: text })],
    tool: (command) => [
      copilotEvent('tool.execution_start', { toolCallId: 'call-1', toolName: 'bash', arguments: { command } }),
    ],
    result: (text, { share }) => [
      ...copilot.say(text),
      copilotEvent('assistant.usage', { model: MODEL, inputTokens: tokens(share), outputTokens: 0 }),
      { type: 'result', sessionId: session, exitCode: 0 },
    ],
  }

  const opencodePart = (type, part) => ({ type, sessionID: session, part })
  const opencode = {
    init: () => [opencodePart('step_start', {})],
    say: (text) => [opencodePart('text', { text })],
    // It prints a tool that has ended.
    tool: (command) => [
      opencodePart('tool_use', {
        ...{ tool: 'bash', callID: 'call-1' },
        state: { status: 'completed', input: { command }, output: '', metadata: { exit: 0 } },
      }),
    ],
    result: (text, { share }) => [
      ...opencode.say(text),
      opencodePart('step_finish', {
        ...{ reason: 'stop', cost: share },
        tokens: { input: tokens(share), output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      }),
    ],
  }

  return { claude, custom, codex, gemini, copilot, opencode, text }
}

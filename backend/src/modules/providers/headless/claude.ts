/** Claude Code without a terminal: `claude -p`, which prints one JSON object a line. */
import { ClaudeReading } from './claude/reading.ts'
import type { Headless } from './headless.ts'
import { type ServersFile, withServers } from './mcp/with-servers.ts'

/** How often Claude repeats a request that failed. With its own 10 times, a wrong key fails after over 90 seconds. */
const RETRIES = 4

/** Claude keeps the servers of its own settings. */
const SERVERS: ServersFile = {
  at: '--mcp-config=',
  field: 'mcpServers',
  formOf: ({ kind: type, ...settings }) => ({ type, ...settings }),
}

export const headless: Headless = {
  program: ({ prompt, model, sessionId, resume, skips, maxTurns, maxBudgetUsd, servers }) =>
    withServers(
      {
        argv: [
          ...['claude', '-p', '--output-format', 'stream-json', '--verbose'],
          ...(resume === null ? ['--session-id', sessionId] : ['--resume', resume]),
          ...(skips ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'default']),
          ...(model === null ? [] : ['--model', model]),
          ...(maxTurns === null ? [] : ['--max-turns', String(maxTurns)]),
          ...(maxBudgetUsd === null ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
        ],
        env: { CLAUDE_CODE_MAX_RETRIES: String(RETRIES) },
        stdin: new TextEncoder().encode(prompt),
      },
      SERVERS,
      servers,
    ),
  read: (options) => new ClaudeReading(options),
  answersInterrupt: true,
  limitsTurns: 'argument',
  limitsBudget: true,
  takesServers: true,
}

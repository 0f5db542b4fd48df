/** Claude Code without a terminal: `claude -p`, which prints one JSON object a line. */
import { reply } from './claude/asks.ts'
import { userMessage } from './claude/input.ts'
import { ClaudeReading } from './claude/reading.ts'
import type { Headless, HeadlessOptions, HeadlessProgram } from './headless.ts'
import { LIKE_CLAUDE, type ServersFile, withServers } from './mcp/with-servers.ts'

/** How often Claude repeats a request that failed. With its own 10 times, a wrong key fails after over 90 seconds. */
const RETRIES = 4

/** Claude keeps the servers of its own settings. */
export const CLAUDE_SERVERS: ServersFile = { at: '--mcp-config=', ...LIKE_CLAUDE }

/** Permissions and questions come as lines of its output. `--replay-user-messages` makes it print what it was answered. */
const ASKS = ['--input-format', 'stream-json', '--permission-prompt-tool', 'stdio', '--replay-user-messages'] as const

const programOf = (options: HeadlessOptions, asks: readonly string[], stdin: string): HeadlessProgram => {
  const {
    model,
    sessionId,
    resume,
    forks = false,
    skips,
    plans,
    maxTurns,
    maxBudgetUsd,
    servers,
    skillsFolder,
  } = options
  return withServers(
    {
      argv: [
        ...['claude', '-p', '--output-format', 'stream-json', '--verbose'],
        ...asks,
        ...(resume === null ? ['--session-id', sessionId] : ['--resume', resume, ...(forks ? ['--fork-session'] : [])]),
        ...(skips ? ['--dangerously-skip-permissions'] : ['--permission-mode', plans ? 'plan' : 'default']),
        ...(model === null ? [] : ['--model', model]),
        ...(maxTurns === null ? [] : ['--max-turns', String(maxTurns)]),
        ...(maxBudgetUsd === null ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
        // A plugin for this process alone. Its skills have a name of their own beside those of the user.
        ...(skillsFolder === undefined ? [] : ['--plugin-dir', skillsFolder]),
      ],
      env: { CLAUDE_CODE_MAX_RETRIES: String(RETRIES) },
      stdin: new TextEncoder().encode(stdin),
    },
    CLAUDE_SERVERS,
    servers,
  )
}

/** What Claude reads first if it may ask people. */
const firstInput = (prompt: string): string =>
  [
    { type: 'control_request', request_id: 'slipway', request: { subtype: 'initialize', hooks: {} } },
    userMessage(prompt),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

export const headless: Headless = {
  program: (options) => programOf(options, [], options.prompt),
  people: {
    program: (options) => programOf({ ...options, skips: false }, ASKS, firstInput(options.prompt)),
    reply,
    steers: true,
  },
  read: (options) => new ClaudeReading(options),
  answersInterrupt: true,
  limitsTurns: 'argument',
  limitsBudget: true,
  plans: true,
  forks: true,
  takesServers: true,
  takesSkills: () => true,
}

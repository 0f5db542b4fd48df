/** Claude Code. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME } from '@slipway/protocol'
import { CLAUDE_SERVERS, headless } from './headless/claude.ts'
import { withServersOption } from './headless/mcp/in-terminal.ts'
import { jsonFile, jsonText, promptLast, type Provider } from './provider.ts'

/** How many characters Claude remembers of a key. The other 80 of an Anthropic key stay secret. */
const REMEMBERED_CHARACTERS = 20

/** Variables by which its own settings can sign it in. */
const VARIABLES =
  'ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CODE_USE_BEDROCK|CLAUDE_CODE_USE_VERTEX'

export const claude: Provider = {
  id: 'claude-code',
  mode: 'claude',
  label: 'Claude Code',
  inImage: true,
  services: ['anthropic'],
  models: ['opus', 'sonnet', 'haiku'],
  canSkipPermissions: true,
  canResume: true,
  takesNewSession: true,
  terminalArgv: ({ model, skips, resume, prompt, newSession }) => [
    'claude',
    ...(resume === null ? [] : ['--resume', resume]),
    ...(resume === null && newSession !== null ? ['--session-id', newSession] : []),
    ...(skips ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'default']),
    ...model,
    ...promptLast(prompt),
  ],
  terminalWithServers: withServersOption(CLAUDE_SERVERS),
  plainArgv: ({ model, skips, prompt, sessionId, maxTurns, maxBudgetUsd }) => [
    ...['claude', '-p', '--session-id', sessionId],
    ...(skips ? ['--dangerously-skip-permissions'] : ['--permission-mode', 'default']),
    ...(model === null ? [] : ['--model', model]),
    ...(maxTurns === null ? [] : ['--max-turns', String(maxTurns)]),
    ...(maxBudgetUsd === null ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...promptLast(prompt),
  ],
  signIn: '/login',
  signedInBy: [
    [{ path: '.claude/.credentials.json', has: jsonText('accessToken|refreshToken') }],
    [{ path: '.claude.json', has: jsonText('primaryApiKey') }],
    ...['.claude/settings.json', '.claude/settings.local.json'].map((path) => [
      { path, has: jsonText(`apiKeyHelper|${VARIABLES}`) },
    ]),
  ],
  homeFiles: [
    {
      path: '.claude.json',
      mode: 0o600,
      // Without the first answer Claude exits at once where it has no network. The second is given for every agent: the home
      // outlives a change of that setting, and the setting is where the owner decides.
      content: jsonFile({
        hasCompletedOnboarding: true,
        bypassPermissionsModeAccepted: true,
        projects: { [AGENT_HOME]: { hasTrustDialogAccepted: true } },
      }),
    },
  ],
  // Claude asks once whether it may use a key of its environment. The user who set the key here has answered. This is the
  // only trace of a credential in a home.
  keyApproval: {
    variable: 'ANTHROPIC_API_KEY',
    script: readFileSync(new URL('scripts/approve-claude-key.mjs', import.meta.url), 'utf8'),
    inputOf: (key) => key.slice(-REMEMBERED_CHARACTERS),
  },
  installCommand: 'npm i -g @anthropic-ai/claude-code',
  headless,
}

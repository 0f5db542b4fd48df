/** Codex. */
import { AGENT_HOME } from '@slipway/protocol'
import { headless } from './headless/codex.ts'
import { keyArgv } from './headless/codex/key.ts'
import { serverSettings } from './headless/codex/servers.ts'
import { withFirst } from './headless/mcp/in-terminal.ts'
import { jsonFile, jsonText, PLACEHOLDER_KEY, promptLast, type Provider } from './provider.ts'

export const codex: Provider = {
  id: 'codex',
  mode: 'codex',
  label: 'Codex',
  inImage: true,
  services: ['openai'],
  models: ['gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-luna'],
  canSkipPermissions: true,
  canResume: true,
  terminalArgv: ({ model, skips, hasKey, variables, resume, prompt }) => [
    'codex',
    // Its background server would copy 400 MB into the home and outlive the terminal.
    '--no-daemon',
    ...(skips ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
    ...(hasKey ? keyArgv(variables) : []),
    ...model,
    ...(resume === null ? [] : ['resume', resume]),
    ...promptLast(prompt),
  ],
  terminalWithServers: (program, servers) => {
    const { argv, env } = serverSettings(servers)
    return withFirst({ ...program, env: { ...program.env, ...env } }, ...argv)
  },
  plainArgv: ({ model, skips, hasKey = false, variables = {}, prompt }) => [
    ...['codex', 'exec', '--skip-git-repo-check', '--color', 'never'],
    ...(skips ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', 'read-only']),
    ...(hasKey ? keyArgv(variables) : []),
    ...(model === null ? [] : ['-m', model]),
    ...promptLast(prompt),
  ],
  signIn: 'codex login --device-auth',
  signedInBy: [
    [{ path: '.codex/auth.json', has: jsonText('access_token|refresh_token') }],
    [{ path: '.codex/auth.json', has: `"OPENAI_API_KEY"\\s*:\\s*"(?!${PLACEHOLDER_KEY}")[^"]` }],
    // The user's own model server, with or without a key.
    [{ path: '.codex/config.toml', has: '^[ \\t]*model_provider[ \\t]*=' }],
  ],
  noticeWithoutKey: 'Codex needs a sign-in before it can answer: run "codex login --device-auth" in bash.',
  homeFiles: [
    {
      path: '.codex/config.toml',
      mode: 0o600,
      // It names no model: a model that Codex does not know leads to another question.
      content: `check_for_update_on_startup = false\n\n[projects."${AGENT_HOME}"]\ntrust_level = "trusted"\n`,
    },
    {
      path: '.codex/auth.json',
      mode: 0o600,
      // Without this file Codex opens a sign-in menu. `codex login` replaces it.
      content: jsonFile({ OPENAI_API_KEY: PLACEHOLDER_KEY }),
    },
  ],
  installCommand: 'npm i -g @openai/codex',
  headless,
}

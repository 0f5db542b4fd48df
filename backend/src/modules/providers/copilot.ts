/** GitHub Copilot CLI. */
import { AGENT_HOME } from '@slipway/protocol'
import { COPILOT_SERVERS, headless } from './headless/copilot.ts'
import { withServersOption } from './headless/mcp/in-terminal.ts'
import { jsonFile, type Provider } from './provider.ts'

export const copilot: Provider = {
  id: 'copilot',
  mode: 'copilot',
  label: 'GitHub Copilot CLI',
  inImage: true,
  services: ['github'],
  models: ['auto'],
  canResume: true,
  // As the next argument, the session would be read as a prompt.
  terminalArgv: ({ model, resume, prompt }) => [
    'copilot',
    ...model,
    ...(resume === null ? [] : [`--resume=${resume}`]),
    ...(prompt === '' ? [] : [`--interactive=${prompt}`]),
  ],
  terminalWithServers: withServersOption(COPILOT_SERVERS),
  plainArgv: ({ model, skips, prompt }) => [
    ...['copilot', '--silent', '--no-color'],
    ...(skips ? ['--allow-all-tools'] : []),
    ...(model === null ? [] : ['--model', model]),
    `--prompt=${prompt}`,
  ],
  signIn: '/login',
  signedInBy: [
    // Tokens are kept by the address and the name of their account.
    [{ path: '.copilot/config.json', has: '"copilot_?[tT]okens"\\s*:\\s*\\{\\s*"' }],
    [{ path: '.config/gh/hosts.yml', has: '^[ \\t]+oauth_token:[ \\t]*\\S' }],
  ],
  homeFiles: [{ path: '.copilot/config.json', mode: 0o600, content: jsonFile({ trustedFolders: [AGENT_HOME] }) }],
  installCommand: 'npm i -g @github/copilot',
  headless,
}

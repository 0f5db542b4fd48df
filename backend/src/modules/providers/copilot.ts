/** GitHub Copilot CLI. */
import { AGENT_HOME } from '@slipway/protocol'
import { jsonFile, type Provider } from './provider.ts'

export const copilot: Provider = {
  id: 'copilot',
  mode: 'copilot',
  label: 'GitHub Copilot CLI',
  inImage: true,
  services: ['github'],
  models: ['auto'],
  terminalArgv: ({ model }) => ['copilot', ...model],
  homeFiles: [{ path: '.copilot/config.json', mode: 0o600, content: jsonFile({ trustedFolders: [AGENT_HOME] }) }],
}

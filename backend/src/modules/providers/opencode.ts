/** OpenCode, which asks nothing when it starts for the first time. */
import type { Provider } from './provider.ts'

export const opencode: Provider = {
  id: 'opencode',
  mode: 'opencode',
  label: 'OpenCode',
  inImage: true,
  services: ['anthropic', 'openai', 'gemini'],
  terminalArgv: ({ model }) => ['opencode', ...model],
}

/** OpenCode, which asks nothing when it starts for the first time. */
import { headless } from './headless/opencode.ts'
import { jsonText, promptLast, type Provider } from './provider.ts'

export const opencode: Provider = {
  id: 'opencode',
  mode: 'opencode',
  label: 'OpenCode',
  inImage: true,
  services: ['anthropic', 'openai', 'gemini'],
  canResume: true,
  terminalArgv: ({ model, resume, prompt }) => [
    'opencode',
    ...model,
    ...(resume === null ? [] : ['-s', resume]),
    ...(prompt === '' ? [] : [`--prompt=${prompt}`]),
  ],
  plainArgv: ({ model, prompt }) => [
    ...['opencode', 'run'],
    ...(model === null ? [] : ['--model', model]),
    ...promptLast(prompt),
  ],
  signIn: '/connect',
  signedInBy: [[{ path: '.local/share/opencode/auth.json', has: jsonText('key|access|refresh|token') }]],
  installCommand: 'npm i -g opencode-ai',
  headless,
}

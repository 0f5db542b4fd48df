/** Cursor's agent. The image does not have it: it is on no registry. A user can install it into the home. */
import { headless } from './headless/cursor.ts'
import { jsonText, promptLast, type Provider } from './provider.ts'

export const cursor: Provider = {
  id: 'cursor-agent',
  mode: 'cursor-agent',
  label: 'Cursor',
  inImage: false,
  terminalArgv: ({ prompt }) => ['cursor-agent', ...promptLast(prompt)],
  plainArgv: ({ model, skips, prompt }) => [
    ...['cursor-agent', '-p', '--output-format', 'text'],
    ...(skips ? ['--force'] : []),
    ...(model === null ? [] : ['--model', model]),
    ...promptLast(prompt),
  ],
  keyVariable: 'CURSOR_API_KEY',
  signedInBy: [[{ path: '.config/cursor/auth.json', has: jsonText('accessToken|refreshToken') }]],
  installCommand: 'curl https://cursor.com/install -fsS | bash',
  headless,
}

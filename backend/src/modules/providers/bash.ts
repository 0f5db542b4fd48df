/** A login shell. It uses no key itself, but what a user starts in it may need any of them. */
import type { Provider } from './provider.ts'

export const bash: Provider = {
  id: 'bash',
  mode: 'bash',
  label: 'Bash',
  inImage: false,
  terminalArgv: () => ['/bin/bash', '--login'],
  isLoginShell: true,
}

/** Cursor's agent. The image does not have it: it is on no registry. A user can install it into the home. */
import type { Provider } from './provider.ts'

export const cursor: Provider = {
  id: 'cursor-agent',
  mode: 'cursor-agent',
  label: 'Cursor',
  inImage: false,
  terminalArgv: () => ['cursor-agent'],
}

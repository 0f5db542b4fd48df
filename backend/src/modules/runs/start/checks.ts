/** What is looked at in the container before a CLI starts there. */
import { AppError } from '../../../lib/errors.ts'
import type { TaskProvider } from '../../providers/task-provider.ts'
import type { InstalledClis } from '../cli-providers/installed.ts'

/** Throws `CLI_NOT_INSTALLED` with the command that installs it. */
export const requireCli = async (
  installed: Pick<InstalledClis, 'has'>,
  containerId: string,
  agent: string,
  { label, binary, installCommand }: Pick<TaskProvider, 'label' | 'binary' | 'installCommand'>,
): Promise<void> => {
  if (await installed.has(containerId, binary)) return
  const advice = installCommand === null ? '' : ` To install it, run in a terminal: ${installCommand}`
  throw new AppError('CLI_NOT_INSTALLED', `Agent '${agent}' has no ${binary}, the program of ${label}.${advice}`)
}

/** Throws `KEY_REFUSED` if the CLI cannot use the key of these variables. */
export const requireKey = ({ headless }: TaskProvider, variables: Readonly<Record<string, string>>): void => {
  const refusal = headless.keyRefusal?.(variables) ?? null
  if (refusal !== null) throw new AppError('KEY_REFUSED', refusal)
}

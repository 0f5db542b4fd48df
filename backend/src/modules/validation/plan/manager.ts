/** Which package manager a project uses. */
import { PACKAGE_MANAGERS, type PackageManager, type ValidationEvidence } from '@slipway/protocol'

/** The lock files in the order in which they are looked for. */
const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['yarn.lock', 'yarn'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['bun.lockb', 'bun'],
  ['bun.lock', 'bun'],
  ['package-lock.json', 'npm'],
]
const DEFAULT: PackageManager = 'pnpm'

/** The names of the files that {@link managerOf} asks for. */
export const LOCK_FILE_NAMES: readonly string[] = LOCK_FILES.map(([file]) => file)

/** A manager, and what named it. */
export interface ChosenManager {
  readonly manager: PackageManager
  readonly from: NonNullable<ValidationEvidence['managerFrom']>
}

/**
 * The first of: the field `packageManager` of the root's package.json, a lock file, pnpm. A field that names no manager
 * that is known counts as absent.
 */
export const managerOf = (packageManager: string | null, files: ReadonlySet<string>): ChosenManager => {
  const named = packageManager?.split('@', 1)[0]
  const byField = PACKAGE_MANAGERS.find((manager) => manager === named)
  if (byField) return { manager: byField, from: 'packageManager' }
  const byLock = LOCK_FILES.find(([file]) => files.has(file))
  return byLock ? { manager: byLock[1], from: 'lock_file' } : { manager: DEFAULT, from: 'default' }
}

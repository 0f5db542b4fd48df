/** Reads what decides about a validation inside the container, where the project is. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME, PACKAGE_MANAGERS } from '@slipway/protocol'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { LOCK_FILE_NAMES } from './manager.ts'

/** Longest time for a look at a project, in milliseconds. */
const TIMEOUT_MS = 15 * SECOND_MS
/** Largest package.json that is read, in bytes. */
const MANIFEST_BYTES = 1_048_576
/** Longest text of a manifest that is passed on, in UTF-16 code units. A longer one is cut. */
const TEXT_MAX = 4096
/** Size of all manifests as they are passed on, in UTF-16 code units. */
const MANIFESTS_MAX = 1_048_576
/** Most folders of changed files: a diff lists 1,000 files. */
const FOLDERS_MAX = 1000
/** JSON writes a character with at most 6 bytes. */
const OUTPUT_BYTES = 8 * MANIFESTS_MAX

/** What a root's `scripts` may have for a validation. */
export const SCRIPTS = ['build', 'test', 'test-packages'] as const

const Text = Type.Union([Type.Null(), Type.String({ maxLength: TEXT_MAX })])
const Manifest = Type.Object({
  name: Text,
  packageManager: Text,
  hasWorkspaces: Type.Boolean(),
  hasDependencies: Type.Boolean(),
  isInstalled: Type.Boolean(),
  scripts: Type.Partial(Type.Record(Type.Enum(SCRIPTS), Type.String({ maxLength: TEXT_MAX }))),
})
/** What a package.json says. */
export type Manifest = Static<typeof Manifest>

const Facts = Type.Object({
  /** The folder of the root, absolute. Without a package.json: the top of the work tree, or the folder of the task. */
  root: Type.String({ maxLength: TEXT_MAX }),
  /** The root, relative to the top of the work tree; empty for the top. */
  prefix: Type.String({ maxLength: TEXT_MAX }),
  /** By folder, relative to the root; empty for the root, if it has one. Null: it cannot be read. */
  manifests: Type.Record(Type.String(), Type.Union([Type.Null(), Manifest])),
  /** Whether manifests are missing because they are too many. */
  truncated: Type.Boolean(),
  /** Which of the files that were asked for are in the root. */
  files: Type.Array(Type.String(), { maxItems: LOCK_FILE_NAMES.length + 2 }),
  /** The programs that were asked for and are on the PATH. */
  programs: Type.Array(Type.Enum(PACKAGE_MANAGERS)),
  /** The person's command for this project, by the name of its folder or of a worktree's repository; or null. */
  command: Text,
})
/** What a look at a project found. A hostile container may claim anything here: it decides only what runs in it. */
export type Facts = Static<typeof Facts>

/** The file of a workspace of pnpm, and the one in place of `node_modules` with Yarn's Plug'n'Play. */
export const PNPM_WORKSPACE = 'pnpm-workspace.yaml'
export const PLUG_AND_PLAY = '.pnp.cjs'

const script = readFileSync(new URL('../scripts/facts.mjs', import.meta.url), 'utf8')

/**
 * Looks at the project of a folder. `changed` are the folders of changed files, relative to the top of the work tree.
 * Null: it could not be read, or not in time. Throws what the runtime throws.
 */
export const factsOf = async (
  runtime: Pick<ContainerRuntime, 'run'>,
  containerId: string,
  { cwd, changed }: { readonly cwd: string; readonly changed: readonly string[] },
): Promise<Facts | null> => {
  const asked = {
    home: AGENT_HOME,
    cwd,
    changed: changed.slice(0, FOLDERS_MAX),
    files: [...LOCK_FILE_NAMES, PNPM_WORKSPACE, PLUG_AND_PLAY],
    programs: PACKAGE_MANAGERS,
    scripts: SCRIPTS,
    limits: { manifestBytes: MANIFEST_BYTES, text: TEXT_MAX, manifests: MANIFESTS_MAX },
  }
  const { exitCode, stdout } = await runtime.run(containerId, {
    argv: ['timeout', '-k', '1', `${TIMEOUT_MS / SECOND_MS - 5}`, 'node', '--input-type=module', '-e', script],
    input: Buffer.from(JSON.stringify(asked)),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: OUTPUT_BYTES,
  })
  return exitCode === 0 ? parse(stdout.toString()) : null
}

const parse = (text: string): Facts | null => {
  try {
    const facts: unknown = JSON.parse(text)
    return Value.Check(Facts, facts) ? facts : null
  } catch {
    return null
  }
}

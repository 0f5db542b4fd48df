/** Every provider, and how to find one. */
import { bash } from './bash.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import type { Headless } from './headless/headless.ts'
import type { HomeFile, KeyApproval, Provider } from './provider.ts'

/** In the order in which the create form shows them. */
export const PROVIDERS: readonly Provider[] = [claude, gemini, codex, copilot, opencode, cursor, bash]

/** The runtime of an agent for which none was chosen. */
export const DEFAULT_RUNTIME = claude.id

const byMode = new Map(PROVIDERS.map((provider) => [provider.mode, provider]))
const modes = new Map(PROVIDERS.map(({ id, mode }) => [id, mode]))

/** Any other program of an agent's image. It gets no options, since it may not know them. */
const unknown = (program: string): Provider => ({
  id: program,
  mode: program,
  label: program,
  inImage: false,
  terminalArgv: () => [program],
})

/** The provider of a terminal's mode. For an unknown mode, the program of that name. */
export const providerOfMode = (mode: string): Provider => byMode.get(mode) ?? unknown(mode)

/** The mode in which terminals of a runtime start. */
export const modeOfRuntime = (runtime: string): string => modes.get(runtime) ?? runtime

/** The provider with an id; null for any other program. */
export const providerOf = (id: string): Provider | null => PROVIDERS.find((one) => one.id === id) ?? null

/** How a provider runs without a terminal; null if it cannot. */
export const headlessOf = (id: string): Headless | null => providerOf(id)?.headless ?? null

/** The name that users read for a provider. */
export const labelOfId = (id: string): string => providerOf(id)?.label ?? id

/** The name that users read for a terminal's mode. */
export const labelOf = (mode: string): string => providerOfMode(mode).label

/**
 * The files of a new home with which each CLI of the image starts at its own prompt, without a key and without a network,
 * whichever one the agent runs by default.
 */
export const homeFiles: readonly HomeFile[] = PROVIDERS.flatMap((provider) => provider.homeFiles ?? [])

/** The questions about keys to answer before a program with this environment starts. */
export const keyApprovals = (
  env: Readonly<Record<string, string>>,
): readonly { readonly label: string; readonly approval: KeyApproval; readonly key: string }[] =>
  PROVIDERS.flatMap(({ label, keyApproval: approval }) => {
    const key = approval && env[approval.variable]
    return approval && key !== undefined ? [{ label, approval, key }] : []
  })

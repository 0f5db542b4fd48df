/** The files that answer the coding CLIs' first-run questions before anybody is asked. */

import type { HomeFile } from './prepare.ts'

/** Where an agent's home is in its container. Folders below it inherit the trust that is put into it. */
export const HOME = '/home/developer'

/** Stands where a key would. It is no secret, and says so to whoever meets it in an error message. */
export const PLACEHOLDER_KEY = 'no-key-is-set'

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * Claude wants to be introduced, to trust the folder, and to hear that skipping permissions is understood. Without
 * the first it ends at once where it has no network. The last is answered for every agent: the home outlives a change of
 * that setting, which is where a person decides it.
 */
const claude: HomeFile = {
  path: '.claude.json',
  mode: 0o600,
  content: json({
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true,
    projects: { [HOME]: { hasTrustDialogAccepted: true } },
  }),
}

/** Gemini asks for a way to sign in and about the folder, and warns of working in the home, which is what agents do. */
const gemini: HomeFile = {
  path: '.gemini/settings.json',
  mode: 0o600,
  content: json({
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    ui: { showHomeDirectoryWarning: false },
  }),
}

/** Codex asks about the folder. No model is named: a model that it does not know leads to another question. */
const codex: HomeFile = {
  path: '.codex/config.toml',
  mode: 0o600,
  content: `check_for_update_on_startup = false\n\n[projects."${HOME}"]\ntrust_level = "trusted"\n`,
}

/** Without any credentials Codex opens a sign-in menu. `codex login` replaces this file with real ones. */
const codexSignIn: HomeFile = {
  path: '.codex/auth.json',
  mode: 0o600,
  content: json({ OPENAI_API_KEY: PLACEHOLDER_KEY }),
}

const copilot: HomeFile = {
  path: '.copilot/config.json',
  mode: 0o600,
  content: json({ trustedFolders: [HOME] }),
}

/**
 * The files of a new home with which claude, codex, gemini and copilot come up at their own prompt, without a key and
 * without a network, whichever one the agent runs by default. opencode asks nothing.
 */
export const homeFiles: readonly HomeFile[] = [claude, gemini, codex, codexSignIn, copilot]

/** Gemini CLI. */
import { headless } from './headless/gemini.ts'
import { jsonFile, jsonText, PLACEHOLDER_KEY, type Provider } from './provider.ts'

const SETTINGS = '.gemini/settings.json'
/** A key in a file that Gemini reads into its environment. */
const KEY_OF_ENV_FILE = '^[ \\t]*(?:export[ \\t]+)?(?:GEMINI|GOOGLE)_API_KEY[ \\t]*=[ \\t]*\\S'

export const gemini: Provider = {
  id: 'gemini-cli',
  mode: 'gemini',
  label: 'Gemini CLI',
  inImage: true,
  services: ['gemini'],
  models: ['auto', 'pro', 'flash', 'flash-lite'],
  canResume: true,
  terminalArgv: ({ model, resume, prompt }) => [
    'gemini',
    ...model,
    ...(resume === null ? [] : ['--resume', resume]),
    ...(prompt === '' ? [] : [`--prompt-interactive=${prompt}`]),
  ],
  plainArgv: ({ model, skips, prompt }) => [
    ...['gemini', '--output-format', 'text'],
    ...(skips ? ['--yolo'] : []),
    ...(model === null ? [] : ['--model', model]),
    `--prompt=${prompt}`,
  ],
  signIn: '/auth',
  signedInBy: [
    [
      { path: SETTINGS, has: '"selectedType"\\s*:\\s*"oauth-personal"' },
      { path: '.gemini/oauth_creds.json', has: jsonText('access_token|refresh_token') },
    ],
    // It then needs no Gemini key.
    [{ path: SETTINGS, has: '"selectedType"\\s*:\\s*"(?!oauth-personal"|gemini-api-key")[^"]' }],
    // The key that the user typed at /auth, encrypted.
    [{ path: '.gemini/gemini-credentials.json', has: '\\S' }],
    ...['.gemini/.env', '.env'].map((path) => [{ path, has: KEY_OF_ENV_FILE }]),
  ],
  envWithoutKey: {
    // Without any key Gemini asks for one before it shows its prompt.
    GEMINI_API_KEY: PLACEHOLDER_KEY,
    // With the placeholder Gemini would claim to be signed in; this file stops that. It belongs to root: Gemini reads
    // no other file here.
    GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/usr/local/lib/slipway/trust/gemini-without-key.json',
  },
  noticeWithoutKey: 'No Gemini key is set: type /auth in Gemini to sign in, or set GEMINI_API_KEY.',
  homeFiles: [
    {
      path: SETTINGS,
      mode: 0o600,
      // Gemini would ask how to sign in and whether to trust the folder. It would also warn of working in the home,
      // which agents do.
      content: jsonFile({
        general: {
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
          // With it, a start of Gemini deletes sessions that were resumed.
          sessionRetention: { enabled: false },
        },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        ui: { showHomeDirectoryWarning: false },
      }),
    },
  ],
  installCommand: 'npm i -g @google/gemini-cli',
  headless,
}

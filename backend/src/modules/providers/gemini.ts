/** Gemini CLI. */
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
  terminalArgv: ({ model }) => ['gemini', ...model],
  signIn: '/auth',
  signedInBy: [
    [
      { path: SETTINGS, has: '"selectedType"\\s*:\\s*"oauth-personal"' },
      { path: '.gemini/oauth_creds.json', has: jsonText('access_token|refresh_token') },
    ],
    // It needs no key of Gemini's then.
    [{ path: SETTINGS, has: '"selectedType"\\s*:\\s*"(?!oauth-personal"|gemini-api-key")[^"]' }],
    // What was typed at /auth, encrypted.
    [{ path: '.gemini/gemini-credentials.json', has: '\\S' }],
    ...['.gemini/.env', '.env'].map((path) => [{ path, has: KEY_OF_ENV_FILE }]),
  ],
  envWithoutKey: {
    // Without any key it asks for one before it shows its prompt.
    GEMINI_API_KEY: PLACEHOLDER_KEY,
    // With one it says how it is signed in, which it is not. Root's file: Gemini reads no other one here.
    GEMINI_CLI_SYSTEM_DEFAULTS_PATH: '/usr/local/lib/slipway/trust/gemini-without-key.json',
  },
  noticeWithoutKey: 'No Gemini key is set: type /auth in Gemini to sign in, or set GEMINI_API_KEY.',
  homeFiles: [
    {
      path: SETTINGS,
      mode: 0o600,
      // It asks how to sign in, whether to trust the folder, and warns of working in the home, which is what agents do.
      content: jsonFile({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        ui: { showHomeDirectoryWarning: false },
      }),
    },
  ],
}

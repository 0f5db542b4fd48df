/** Gemini CLI. */
import { jsonFile, PLACEHOLDER_KEY, type Provider } from './provider.ts'

export const gemini: Provider = {
  id: 'gemini-cli',
  mode: 'gemini',
  label: 'Gemini CLI',
  inImage: true,
  services: ['gemini'],
  models: ['auto', 'pro', 'flash', 'flash-lite'],
  terminalArgv: ({ model }) => ['gemini', ...model],
  // Without any key it asks for one before it shows its prompt.
  envWithoutKey: { GEMINI_API_KEY: PLACEHOLDER_KEY },
  noticeWithoutKey: 'No Gemini key is set: type /auth in Gemini to sign in, or set GEMINI_API_KEY.',
  homeFiles: [
    {
      path: '.gemini/settings.json',
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

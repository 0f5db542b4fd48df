// Runs inside an agent's container: makes the repository out of the files named in a JSON file, clones it, and points the CLIs
// to the model there.   node set-up.mjs FILES.json PORT
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const [files, port] = process.argv.slice(2)
const home = homedir()
const origin = '/tmp/origin'
const put = (path, content) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
for (const [path, content] of Object.entries(JSON.parse(readFileSync(files, 'utf8')))) put(join(origin, path), content)

const git = (...args) => execFileSync('git', args, { cwd: origin, stdio: 'inherit' })
git('init', '--quiet')
git('add', '--all', '--force')
git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message', 'An innocent project')
for (const clone of ['clone', 'second']) git('clone', '--quiet', origin, join(home, clone))

const baseURL = `http://127.0.0.1:${port}/v1`
const codex = join(home, '.codex/config.toml')
const settings = readFileSync(codex, 'utf8')
writeFileSync(codex, `model = "stub"\nmodel_provider = "stub"\n${settings}`)
appendFileSync(codex, `\n[model_providers.stub]\nname = "stub"\nbase_url = "${baseURL}"\nwire_api = "responses"\n`)
const stub = {
  npm: '@ai-sdk/openai-compatible',
  options: { baseURL, apiKey: 'none' },
  models: { stub: { name: 'stub' } },
}
put(join(home, '.config/opencode/opencode.json'), JSON.stringify({ model: 'stub/stub', provider: { stub } }))
put(
  join(home, 'environment'),
  Object.entries({
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_AUTH_TOKEN: 'none',
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_API_KEY: 'none',
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: baseURL,
    COPILOT_PROVIDER_API_KEY: 'none',
    COPILOT_MODEL: 'stub',
  })
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join(''),
)

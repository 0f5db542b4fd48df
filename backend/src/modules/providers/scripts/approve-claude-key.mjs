// Runs in a container: adds its standard input to the keys that Claude uses without asking.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
const path = `${process.env.HOME}/.claude.json`
const end = readFileSync(0, 'utf8')
let settings = {}
try {
  settings = JSON.parse(readFileSync(path, 'utf8'))
} catch (error) {
  // If the file exists but is not JSON, Claude must repair it.
  if (error.code !== 'ENOENT') throw error
}
const { approved = [], rejected = [] } = settings.customApiKeyResponses ?? {}
if (!approved.includes(end)) {
  const responses = { approved: [...approved, end], rejected: rejected.filter((other) => other !== end) }
  const draft = `${path}.slipway-new`
  writeFileSync(draft, JSON.stringify({ ...settings, customApiKeyResponses: responses }, null, 2), { mode: 0o600 })
  renameSync(draft, path)
}

// Runs in a container: adds its standard input to the keys that Claude uses without asking.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'

const path = `${process.env.HOME}/.claude.json`
/** The folder that Claude makes while it reads, changes and writes the file: the lock of the package proper-lockfile. */
const lock = `${path}.lock`
/** Age in milliseconds from which a lock belongs to a program that has ended: the default of proper-lockfile. */
const STALE_MS = 10_000
const WAIT_MS = 20
const end = readFileSync(0, 'utf8')

/** Waits until this program holds the lock. A Claude that writes at the same time would undo the change otherwise. */
const acquire = async () => {
  for (;;) {
    try {
      mkdirSync(lock)
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const { mtimeMs = 0 } = statSync(lock, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs !== 0 && Date.now() - mtimeMs > STALE_MS) return
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
}

const approve = () => {
  let settings = {}
  try {
    settings = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // If the file exists but is not JSON, Claude must repair it.
    if (error.code !== 'ENOENT') throw error
  }
  const { approved = [], rejected = [] } = settings.customApiKeyResponses ?? {}
  if (approved.includes(end)) return
  const responses = { approved: [...approved, end], rejected: rejected.filter((other) => other !== end) }
  const draft = `${path}.slipway-new`
  writeFileSync(draft, JSON.stringify({ ...settings, customApiKeyResponses: responses }, null, 2), { mode: 0o600 })
  renameSync(draft, path)
}

await acquire()
try {
  approve()
} finally {
  rmSync(lock, { recursive: true, force: true })
}

/** A server full of data: users, their agents in every lasting state, logs and recordings. */
import { type Agent, type CreatedUser, DEFAULT_PREFERENCES, type SignedIn } from '@slipway/protocol'
import { Client, PASSWORD, signIn, signInAdmin } from '../support/api.ts'
import { runIn } from '../support/agent/in-agent.ts'

export interface FurnishedServer {
  readonly admin: Client
  readonly owner: Client
  /** A user without an agent. */
  readonly newcomer: Client
  readonly running: Agent
  readonly stopped: Agent
  /** An agent whose image does not exist. */
  readonly failed: Agent
  /** The link of an invited user who has not joined yet. */
  readonly invitation: string
  clear(): Promise<void>
}

/** Output of a build: colours, both streams, a line longer than any window. */
const OUTPUT = [
  `printf '\\033[1m> harbour-api@2.4.0 dev\\033[0m\\n' >/proc/1/fd/1`,
  `printf 'ready in \\033[32m412 ms\\033[0m, listening on http://127.0.0.1:3000\\n' >/proc/1/fd/1`,
  `printf '\\033[33mwarning\\033[0m the option "berths" is deprecated, use "moorings"\\n' >/proc/1/fd/2`,
  ...[200, 200, 404, 200].map(
    (status, index) => `printf 'GET /moorings/${index + 11} ${status} ${3 * index + 2} ms\\n' >/proc/1/fd/1`,
  ),
  `printf 'tide %s\\n' "$(seq -s, 1 120)" >/proc/1/fd/1`,
].join(';')

const named = async (admin: Client, name: string, role: 'admin' | 'user' = 'user'): Promise<Client> => {
  const email = `${name}@example.org`
  await admin.ok<CreatedUser>('POST', '/users', { email, role, password: PASSWORD })
  return signIn(email, PASSWORD)
}

/** Call it once for each server, because the names are always the same. */
export const furnish = async (): Promise<FurnishedServer> => {
  const first = await signInAdmin()
  const admin = await named(first, 'iris.lindqvist', 'admin')
  const [owner, newcomer, colleague, gone] = await Promise.all([
    named(first, 'noor.haddad'),
    named(first, 'tomas'),
    named(first, 'wilhelmina.van-der-meer-oosterhuis'),
    named(first, 'juno'),
  ])
  await admin.ok('PATCH', `/users/${gone.userId}`, { disabled: true })
  const invited = await admin.ok<CreatedUser>('POST', '/users', { email: 'pelle@example.org', role: 'user' })
  const missing = { runtime: 'codex', memoryMb: 512, image: 'slipway-test-missing:none' }
  const [running, stopped, failed, shared] = await Promise.all([
    owner.agent({ name: 'harbour-api', memoryMb: 1024 }),
    owner.agent({ name: 'docs-site', runtime: 'gemini-cli', memoryMb: 512 }),
    owner.ok<Agent>('POST', '/agents?wait=true', { name: 'release-notes', ...missing }),
    colleague.ok<Agent>('POST', '/agents?wait=true', { name: 'a-rather-long-name-of-an-agent-of-theirs', ...missing }),
  ])
  await owner.ok('POST', `/agents/${stopped.name}/stop?wait=true`)
  await owner.ok('POST', `/agents/${running.name}/shares`, { email: admin.email })
  await colleague.ok('POST', `/agents/${shared.name}/shares`, { email: owner.email })
  await owner.ok('PUT', `/agents/${running.name}/credentials/github-token`, { value: 'ghp_no_such_token' })
  const registry = '//registry.example.org/:_authToken=none\nengine-strict=true'
  await owner.ok('PUT', `/agents/${running.name}/variables/NPM_CONFIG`, { value: registry, secret: false })
  await owner.ok('PUT', `/agents/${running.name}/variables/DEPLOY_TOKEN`, { value: 'no such token', secret: true })
  await admin.ok('PUT', `/agents/${running.name}/variables/TZ`, { value: 'Europe/Stockholm', secret: false })
  await owner.ok('POST', '/tokens', {
    name: 'nightly build',
    scopes: ['agents:read', 'agents:write'],
    expiresInDays: 90,
  })
  await owner.ok('POST', '/ssh-keys', {
    name: 'noor@laptop',
    publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINTBirdxdUZasPvhTCt+ZYE76nJ36PnVqTqW5ahRrQec',
  })
  // No device has allowed notifications yet.
  await owner.ok('PUT', '/users/me/preferences', { terminal: { ...DEFAULT_PREFERENCES.terminal, notify: true } })
  // Another device, and a failed sign-in.
  await owner.ok<SignedIn>('POST', '/auth/login', { email: owner.email, password: PASSWORD })
  await owner.call('POST', '/auth/login', { email: owner.email, password: 'a guess at the door' })
  await runIn(running.name, OUTPUT)
  return {
    admin,
    owner,
    newcomer,
    running,
    stopped,
    failed,
    invitation: invited.invitation?.url ?? '',
    clear: async () => {
      for (const { name } of [running, stopped, failed, shared]) await first.call('DELETE', `/agents/${name}`)
    },
  }
}

/** The users and the things of the walk. */
import { type CredentialOwner, ownerColumns, PLATFORM } from '../../src/modules/credentials/owner.ts'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLI_PROVIDER_DEFAULTS, type Role, SCOPES, type Scope } from '@slipway/protocol'
import { type TerminalClient, until } from '@slipway/testing'
import { DAY_MS } from '../../src/lib/clock.ts'
import { LEFT_PID, type MemoryEngine } from '../support/engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../support/people.ts'
import { storedConversation } from '../support/conversations.ts'
import { newAgent, type Team } from '../support/team.ts'
import { openTerminal } from '../support/terminal.ts'
import { hasSkill, SKILL } from './skills.ts'
import { newPublicKey } from '../support/ssh-keys.ts'
import { somePreparation } from '../support/preparations.ts'
import { someWorktree } from '../support/worktrees/rows.ts'
import type { Who } from './who.ts'

/** A caller, with the name that failures give it. */
export interface Asker {
  readonly name: string
  /** The column of the table that has the expected answers. */
  readonly as: Who
  /** The scopes of the caller's API token. Null: the caller signed in, and has all rights of the user. */
  readonly scope: Scope | 'agents:write terminal' | 'tasks:write terminal' | 'tasks:read tasks:write' | null
  /** The token to send. It comes from a new sign-in each time, because some requests end the sign-in. */
  token(): Promise<string | undefined>
}

export interface World extends Team {
  readonly sharee: Person
  readonly engine: MemoryEngine
  readonly askers: readonly Asker[]
}

/** Makes all callers: those without any right, and those with some. */
export async function populate(team: Team, engine: MemoryEngine): Promise<World> {
  const { app, identity, database, clock, admin } = team
  const world = { ...team, sharee: team.colleague, engine }
  const fresh = async ({ id }: Person): Promise<string> => {
    const user = await database.prisma.user.findUniqueOrThrow({ where: { id } })
    return (await identity.signIns.open(user, { address: '', requestId: null, userAgent: null })).body.accessToken
  }
  const apiToken = async (person: Person, scopes: readonly Scope[], more: object = {}) => {
    const body = { name: 'walk', scopes, ...more }
    const answer = await call(app, 'POST /tokens', { token: await fresh(person), body })
    return answer.json<{ id: string; token: string }>()
  }
  const all = (token: string): Pick<Asker, 'token'> => ({ token: () => Promise.resolve(token) })
  const gone = (name: string, token: string): Asker => ({ name, as: 'nobody', scope: null, ...all(token) })

  // These sign-ins and tokens are made now, and expire when the clock moves on by a day.
  const expiredSignIn = await fresh(team.owner)
  const expiredToken = await apiToken(team.owner, SCOPES, { expiresInDays: 1 })
  clock.advance(DAY_MS)
  const revoked = await apiToken(team.owner, SCOPES)
  await call(app, `DELETE /tokens/${revoked.id}`, { token: await fresh(team.owner) })
  const signedOut = await fresh(team.owner)
  await call(app, 'POST /auth/logout', { token: signedOut })
  const asAdmin = async (what: Call, body?: object) => call(app, what, { token: await fresh(admin), body })
  const leaving = async (name: string, role: Role, leave: (person: Person) => Promise<unknown>): Promise<Asker[]> => {
    const person = await addPerson(team, { ...admin, token: await fresh(admin) }, `${name}@example.org`, role)
    const tokens = [await fresh(person), (await apiToken(person, SCOPES)).token]
    await leave(person)
    return [gone(`a ${name} user`, tokens[0] ?? ''), gone(`the API token of a ${name} user`, tokens[1] ?? '')]
  }
  const left = [
    ...(await leaving('disabled', 'admin', ({ id }) => asAdmin(`PATCH /users/${id}`, { disabled: true }))),
    ...(await leaving('deleted', 'user', ({ id }) => asAdmin(`DELETE /users/${id}`))),
  ]

  const people = { stranger: team.stranger, sharee: team.colleague, owner: team.owner, admin }
  const askers: Asker[] = [
    { name: 'nobody', as: 'nobody', scope: null, token: () => Promise.resolve(undefined) },
    gone('a caller with an invalid token', 'nonsense'),
    gone('a caller with an expired access token', expiredSignIn),
    gone('a user who signed out', signedOut),
    gone('an API token that has expired', expiredToken.token),
    gone('an API token that was revoked', revoked.token),
    ...left,
    ...Object.entries(people).map(([who, person]): Asker => ({
      name: `the ${who}`,
      as: who as Who,
      scope: null,
      token: () => fresh(person),
    })),
  ]
  for (const who of ['stranger', 'owner', 'admin'] as const)
    for (const scope of [
      ...SCOPES,
      'agents:write terminal',
      'tasks:write terminal',
      'tasks:read tasks:write',
    ] as const) {
      const { token } = await apiToken(people[who], scope.split(' ') as Scope[])
      askers.push({ name: `an API token of the ${who} with ${scope}`, as: who, scope, ...all(token) })
    }
  return { ...world, askers }
}

/** Those of the example in RFC 8291, 5. */
export const PUSH_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

/** A kind of credential whose test contacts no service. */
const CREDENTIAL = 'git-token'
const VARIABLE = 'OF_THE_WALK'
const CONNECTOR = 'of-the-walk'

const commonAgents = new WeakMap<World, Promise<string>>()

/** The id of a commit, of which only the form counts. */
export const COMMIT = '0'.repeat(40)

/** What one request finds on the server. */
export class Scene {
  readonly world: World
  readonly #caller: Person
  readonly #open: TerminalClient[] = []
  /** Id of the link to the terminal that was opened last. */
  #linkId = ''
  #portLinkId = ''
  /** Id of the delivery of the webhook that was made last. */
  #deliveryId = ''
  /** Id of the message that waits in the conversation that was made last. */
  #messageId = ''
  /** Id of the approval rule that was made last. */
  #ruleId = ''
  /** Id of the worktree that was made last. */
  #worktreeId = ''
  /** Id of the comparison that was made last, and of its task. */
  compared = ''

  constructor(world: World, caller: Who) {
    this.world = world
    this.#caller = caller === 'nobody' ? world.owner : world[caller]
  }

  newName(): string {
    return `walk-${randomUUID().slice(0, 13)}`
  }

  newEmail(): string {
    return `${this.newName()}@example.org`
  }

  /** A running agent that the owner shares with the sharee. */
  async agent(): Promise<string> {
    const { app, database, sharee } = this.world
    const token = await this.#ownersToken()
    const name = this.newName()
    await call(app, 'POST /agents?wait=true', { token, body: newAgent(name) })
    await call(app, `POST /agents/${name}/shares`, { token, body: { email: sharee.email } })
    const { id } = await database.prisma.agent.findUniqueOrThrow({ where: { name } })
    await this.#hasCredential({ type: 'agent', id })
    await this.#hasVariable(id)
    await this.#hasConnector({ type: 'agent', id })
    await hasSkill(this.world, { type: 'agent', id })
    this.#worktreeId = await someWorktree(this.world.database, id)
    return name
  }

  /** The same with a link to a port. */
  async withPortLink(): Promise<string> {
    const [name, token] = [await this.agent(), await this.#ownersToken()]
    const link = await call(this.world.app, `POST /agents/${name}/ports/5173/links`, { token, body: {} })
    this.#portLinkId = link.json<{ id: string }>().id
    return name
  }

  /** A template of agents. */
  async agentTemplate(): Promise<string> {
    const name = this.newName()
    const data = { name, description: '', settings: { runtime: 'bash' }, variables: [], updatedAt: new Date() }
    await this.world.database.prisma.agentTemplate.create({ data })
    return name
  }

  /** The same with a repository, in this state. */
  async prepared(state: string): Promise<string> {
    const name = await this.agent()
    const { id } = await this.world.database.prisma.agent.findUniqueOrThrow({ where: { name } })
    await somePreparation(this.world.database, id, state)
    return name
  }

  /**
   * The one agent of all scenes of this world for requests that do not change it. It is like those of {@link agent}. Making
   * an agent for each request took half of the walk's CPU time.
   */
  commonAgent(): Promise<string> {
    const agent = commonAgents.get(this.world) ?? this.agent()
    commonAgents.set(this.world, agent)
    return agent
  }

  /**
   * A live terminal of the owner, with one link to it, in an agent that the owner shares with the sharee. Call {@link
   * leave} afterwards.
   */
  async terminal(): Promise<string> {
    const [name, token] = [await this.agent(), await this.#ownersToken()]
    const terminal = await openTerminal(this.world, `/agents/${name}/terminal?mode=bash`, { token })
    this.#open.push(terminal)
    await until('the terminal', () => terminal.sessionId !== '')
    const body = { access: 'view' }
    const link = await call(this.world.app, `POST /terminal-sessions/${terminal.sessionId}/links`, { token, body })
    this.#linkId = link.json<{ id: string }>().id
    return terminal.sessionId
  }

  /** Ends the terminals that this scene opened. */
  async leave(): Promise<void> {
    for (const terminal of this.#open) terminal.close()
    await Promise.all(this.#open.splice(0).map(({ closed }) => closed))
  }

  /** A recording of the owner with its file, shared with all users of the agent. */
  async recording(): Promise<string> {
    const { prisma } = this.world.database
    const [name, id] = [await this.commonAgent(), randomUUID()]
    const agent = await prisma.agent.findUniqueOrThrow({ where: { name } })
    const { id: userId, email } = this.world.owner
    const at = new Date(this.world.clock.now())
    const ended = { startedAt: at, endedAt: at, state: 'complete', shared: true } as const
    await prisma.recording.create({ data: { id, agentId: agent.id, userId, email, mode: 'bash', ...ended } })
    mkdirSync(join(this.world.dataDir, 'recordings'), { recursive: true })
    writeFileSync(join(this.world.dataDir, 'recordings', `${id}.cast`), '{"version":3}\n')
    return id
  }

  /** A task of the owner that has ended. */
  async task(): Promise<string> {
    const { prisma } = this.world.database
    const [agentName, id] = [await this.commonAgent(), randomUUID()]
    const agent = await prisma.agent.findUniqueOrThrow({ where: { name: agentName } })
    const of = { id, sessionId: id, agentId: agent.id, agentName, userId: this.world.owner.id, personal: false }
    const what = {
      provider: 'claude-code',
      prompt: 'hi',
      cwd: '/home/developer',
      timeoutSeconds: 300,
      cliSessionId: randomUUID(),
    }
    await prisma.codingRun.create({
      data: { ...of, ...what, state: 'completed', reason: 'completed', endedAt: new Date() },
    })
    return id
  }

  /** A question of a task of the owner, which waits for its answer. Each caller gets one of its own. */
  async dialog(): Promise<string> {
    const { prisma } = this.world.database
    const runId = await this.task()
    const { agentId, agentName, userId } = await prisma.codingRun.findUniqueOrThrow({ where: { id: runId } })
    const of = { id: randomUUID(), agentId, agentName, userId, runId, requestId: 'asked', personal: false }
    const row = await prisma.dialog.create({
      data: { ...of, title: 'Sure?', question: { kind: 'confirm' }, state: 'open' },
    })
    return row.id
  }

  /** A message to the caller about a question of a task of the owner. */
  async noticeOfCaller(): Promise<string> {
    const { prisma } = this.world.database
    const of = { id: randomUUID(), userId: this.#caller.id, dialogId: await this.dialog() }
    return (await prisma.notice.create({ data: { ...of, createdAt: new Date(this.world.clock.now()) } })).id
  }

  /** A device of the caller. Each caller has only a few, so that the walk's own may be added. */
  async deviceOfCaller(): Promise<string> {
    const { prisma } = this.world.database
    const userId = this.#caller.id
    await prisma.pushDevice.deleteMany({ where: { userId } })
    const id = randomUUID()
    const keys = { endpoint: `https://127.0.0.1:1/${id}`, ...PUSH_KEYS }
    const of = { id, userId, signInId: await this.signInOfCaller(), name: 'Walked', ...keys }
    await prisma.pushDevice.create({ data: { ...of, createdAt: new Date(this.world.clock.now()) } })
    return id
  }

  /** A Discord account that is linked to the caller. */
  async chatAccountOfCaller(): Promise<string> {
    const { prisma } = this.world.database
    const [id, userId] = [randomUUID(), this.#caller.id]
    await prisma.chatAccount.deleteMany({ where: { userId } })
    const of = { id, userId, service: 'discord', accountId: id, name: 'walked' }
    await prisma.chatAccount.create({ data: { ...of, createdAt: new Date(this.world.clock.now()) } })
    return id
  }

  /** A conversation of the owner. A busy one has a turn that has not ended, and a message that waits. */
  async conversation(isBusy: boolean): Promise<string> {
    const of = { agentName: await this.commonAgent(), userId: this.world.owner.id, isBusy }
    const { id, messageId } = await storedConversation(this.world.database.prisma, of)
    this.#messageId = messageId
    return id
  }

  async signInOfCaller(): Promise<string> {
    const { prisma } = this.world.database
    const data = { userId: this.#caller.id, refreshHash: '', expiresAt: new Date(this.world.clock.now() + DAY_MS) }
    return (await prisma.signIn.create({ data })).id
  }

  /** A code that a program shows. */
  async deviceCode(): Promise<string> {
    const body = { name: 'walked', scopes: ['terminal'] }
    await this.world.database.prisma.deviceLogin.deleteMany()
    return (await call(this.world.app, 'POST /device-logins', { body })).json<{ userCode: string }>().userCode
  }

  async tokenOfCaller(): Promise<string> {
    const row = await this.world.database.prisma.apiToken.create({
      data: { userId: this.#caller.id, name: 'to go', tokenHash: randomUUID(), scopes: [], expiresAt: new Date(0) },
    })
    return row.id
  }

  /** A key of the caller. Each caller has only a few, so that the walk's own may be added. */
  async sshKeyOfCaller(): Promise<string> {
    const { database, clock } = this.world
    const [id, userId] = [randomUUID(), this.#caller.id]
    await database.prisma.sshKey.deleteMany({ where: { userId } })
    const key = { name: 'to go', publicKey: newPublicKey(), fingerprint: id }
    await database.prisma.sshKey.create({ data: { id, userId, ...key, createdAt: new Date(clock.now()) } })
    return id
  }

  async cliProviderOfCaller(): Promise<string> {
    const { database, clock } = this.world
    const at = new Date(clock.now())
    const { defaultArgs, ...fields } = CLI_PROVIDER_DEFAULTS
    const of = { id: randomUUID(), userId: this.#caller.id, name: this.newName(), displayName: 'Walked', binary: 'cat' }
    // Each caller has only a few, so that the walk's own may be created.
    await database.prisma.cliProvider.deleteMany({ where: { userId: this.#caller.id } })
    const data = { ...fields, ...of, defaultArgs: [...defaultArgs], createdAt: at, updatedAt: at }
    return (await database.prisma.cliProvider.create({ data })).id
  }

  /** A comparison of the caller with one task, which has ended and the same id. */
  async comparisonOfCaller(): Promise<string> {
    const { prisma } = this.world.database
    const [id, userId] = [await this.task(), this.#caller.id]
    await prisma.codingRun.update({ where: { id }, data: { userId } })
    const target = { position: 0, agentName: await this.commonAgent(), runId: id }
    const createdAt = new Date(this.world.clock.now())
    await prisma.comparison.create({ data: { id, userId, prompt: 'hi', createdAt, targets: { create: target } } })
    this.compared = id
    return id
  }

  async scheduleOfCaller(): Promise<string> {
    const { database, clock } = this.world
    const at = new Date(clock.now())
    const agent = await database.prisma.agent.findUniqueOrThrow({ where: { name: await this.commonAgent() } })
    const of = { id: randomUUID(), userId: this.#caller.id, agentId: agent.id, via: 'user', viaId: this.#caller.id }
    const what = { name: 'To go', cron: '0 9 * * *', timezone: 'UTC', missed: 'skip', prompt: 'hi' }
    // Each caller has only a few, so that the walk's own may be created.
    await database.prisma.schedule.deleteMany({ where: { userId: this.#caller.id } })
    const data = { ...of, ...what, enabled: false, createdAt: at, updatedAt: at }
    return (await database.prisma.schedule.create({ data })).id
  }

  /** An outgoing webhook of the caller or of the platform, with one delivery that is over. */
  async webhook(ofPlatform: boolean): Promise<string> {
    const { webhook } = this.world.database.prisma
    const userId = ofPlatform ? null : this.#caller.id
    // There are only a few, so that the walk's own may be created.
    await webhook.deleteMany({ where: { userId } })
    const data = { ...this.#hook(), userId, kinds: ['task.ended'], withText: false }
    const { id, createdAt } = await webhook.create({ data })
    const over = { webhookId: id, kind: 'test', body: '{}', state: 'failed', createdAt }
    this.#deliveryId = (
      await this.world.database.prisma.webhookDelivery.create({ data: { id: randomUUID(), ...over } })
    ).id
    return id
  }

  /** A template of the caller or of the platform. */
  async template(ofPlatform: boolean): Promise<string> {
    const { promptTemplate } = this.world.database.prisma
    const userId = ofPlatform ? null : this.#caller.id
    // There are only a few, so that the walk's own may be created.
    await promptTemplate.deleteMany({ where: { userId } })
    const at = new Date(this.world.clock.now())
    const data = { id: randomUUID(), userId, name: 'To go', prompt: 'hi', createdAt: at, updatedAt: at }
    return (await promptTemplate.create({ data })).id
  }

  /** An approval rule of the caller or of the platform. */
  async rule(of: 'user' | 'platform'): Promise<string> {
    return this.#rule({ userId: of === 'user' ? this.#caller.id : null })
  }

  /** The name of an agent with an approval rule. */
  async agentWithRule(): Promise<string> {
    const name = await this.commonAgent()
    const { id: agentId } = await this.world.database.prisma.agent.findUniqueOrThrow({ where: { name } })
    this.#ruleId = await this.#rule({ agentId })
    return name
  }

  async #rule(owner: { userId?: string | null; agentId?: string }): Promise<string> {
    const { approvalRule } = this.world.database.prisma
    const createdAt = new Date(this.world.clock.now())
    const what = { decision: 'deny', covers: { kind: 'tool', tool: this.newName() }, createdAt, createdBy: 'walk' }
    // There are only a few, so that the walk's own may be made.
    await approvalRule.deleteMany({ where: { userId: null, agentId: null, ...owner } })
    return (await approvalRule.create({ data: { id: randomUUID(), ...owner, ...what } })).id
  }

  async incomingHook(): Promise<string> {
    const { incomingHook, agent } = this.world.database.prisma
    const { id: agentId } = await agent.findUniqueOrThrow({ where: { name: await this.agent() } })
    await incomingHook.deleteMany({ where: { userId: this.#caller.id } })
    const what = { agentId, source: 'github', events: [], prompt: 'hi' }
    return (await incomingHook.create({ data: { ...this.#hook(), userId: this.#caller.id, ...what } })).id
  }

  #hook() {
    const at = new Date(this.world.clock.now())
    const sealed = { sealed: new Uint8Array(), keyId: '' }
    const of = { id: randomUUID(), via: 'user', viaId: this.#caller.id, name: 'To go', enabled: true }
    return { ...of, ...sealed, createdAt: at, updatedAt: at }
  }

  async invitedUser(): Promise<string> {
    return (await this.world.database.prisma.user.create({ data: { email: this.newEmail() } })).id
  }

  /** The kind of a credential that the caller has set. */
  async credentialOfCaller(): Promise<string> {
    return this.#hasCredential({ type: 'user', id: this.#caller.id })
  }

  async credentialOfPlatform(): Promise<string> {
    return this.#hasCredential(PLATFORM)
  }

  async credentialOfSystemAgent(): Promise<string> {
    const { id } = await this.world.database.prisma.agent.findFirstOrThrow({ where: { isSystem: true } })
    return this.#hasCredential({ type: 'agent', id })
  }

  /** The name of a variable that the system agent has. */
  async variableOfSystemAgent(): Promise<string> {
    const { id } = await this.world.database.prisma.agent.findFirstOrThrow({ where: { isSystem: true } })
    return this.#hasVariable(id)
  }

  async connectorOfCaller(): Promise<string> {
    return this.#hasConnector({ type: 'user', id: this.#caller.id })
  }

  async connectorOfPlatform(): Promise<string> {
    return this.#hasConnector(PLATFORM)
  }

  async connectorOfSystemAgent(): Promise<string> {
    const { id } = await this.world.database.prisma.agent.findFirstOrThrow({ where: { isSystem: true } })
    return this.#hasConnector({ type: 'agent', id })
  }

  async skillOf(owner: 'caller' | 'platform' | 'system'): Promise<string> {
    if (owner === 'platform') return hasSkill(this.world, PLATFORM)
    if (owner === 'caller') return hasSkill(this.world, { type: 'user', id: this.#caller.id })
    const { id } = await this.world.database.prisma.agent.findFirstOrThrow({ where: { isSystem: true } })
    return hasSkill(this.world, { type: 'agent', id })
  }

  async #ownersToken(): Promise<string> {
    const { identity, database, owner } = this.world
    const user = await database.prisma.user.findUniqueOrThrow({ where: { id: owner.id } })
    return (await identity.signIns.open(user, { address: '', requestId: null, userAgent: null })).body.accessToken
  }

  async #hasCredential(owner: CredentialOwner): Promise<string> {
    const row = { ...ownerColumns(owner), kind: CREDENTIAL, sealed: new Uint8Array(), keyId: '' }
    await this.world.database.prisma.credential.createMany({ data: [row], skipDuplicates: true })
    return CREDENTIAL
  }

  async #hasConnector(owner: CredentialOwner): Promise<string> {
    const row = { ...ownerColumns(owner), name: CONNECTOR, kind: 'http', enabled: true }
    const data = [{ ...row, sealed: new Uint8Array(), keyId: '' }]
    await this.world.database.prisma.connector.createMany({ data, skipDuplicates: true })
    return CONNECTOR
  }

  /** A worktree of the system agent. */
  async worktreeOfSystemAgent(): Promise<string> {
    const { id } = await this.world.database.prisma.agent.findFirstOrThrow({ where: { isSystem: true } })
    return someWorktree(this.world.database, id)
  }

  async #hasVariable(agentId: string): Promise<string> {
    const row = { agentId, name: VARIABLE, secret: true, sealed: new Uint8Array(), keyId: '' }
    await this.world.database.prisma.agentVariable.createMany({ data: [row], skipDuplicates: true })
    return VARIABLE
  }

  /** The address of a row's route, with `target` for its first parameter, and for `{target}` in its query. */
  fill(route: string, target: string, { query }: { readonly query?: string } = {}): string {
    let first = true
    const path = route.replaceAll(/:\w+|\*/g, (parameter) => {
      if (first) {
        first = false
        return target
      }
      if (parameter === ':kind') return CREDENTIAL
      if (parameter === ':variable') return VARIABLE
      if (parameter === ':connector') return CONNECTOR
      if (parameter === ':skill') return SKILL
      if (parameter === ':worktree') return this.#worktreeId
      if (parameter === ':commit') return COMMIT
      if (parameter === ':port') return '5173'
      if (parameter === ':linkId') return this.#linkId
      if (parameter === ':portLinkId') return this.#portLinkId
      if (parameter === ':messageId') return this.#messageId
      if (parameter === ':rule') return this.#ruleId
      if (parameter === ':delivery') return this.#deliveryId
      return parameter === ':pid' ? String(LEFT_PID) : this.world.sharee.id
    })
    return query === undefined ? path : `${path}?${query.replace('{target}', target)}`
  }
}

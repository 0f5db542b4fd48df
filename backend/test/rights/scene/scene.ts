/** What one request of the walk finds on the server. */
import { randomUUID } from 'node:crypto'
import { type TerminalClient, until } from '@slipway/testing'
import { type CredentialOwner, PLATFORM } from '../../../src/modules/credentials/owner.ts'
import { LEFT_PID } from '../../support/engine/memory-engine.ts'
import { call, type Person } from '../../support/people/people.ts'
import { storedConversation } from '../../support/stored/conversations.ts'
import { newAgent } from '../../support/people/team.ts'
import { openTerminal } from '../../support/terminals/terminal.ts'
import { somePreparation } from '../../support/stored/preparations.ts'
import { someWorktree } from '../../support/stored/worktrees.ts'
import type { Who } from '../who.ts'
import * as account from './account.ts'
import { CONNECTOR, CREDENTIAL, hasConnector, hasCredential, hasVariable, VARIABLE } from './given.ts'
import { storedRecording } from './recordings.ts'
import { hasSkill, SKILL } from './skills.ts'
import * as tasks from './tasks.ts'
import { storedIncomingHook, storedWebhook } from './webhooks.ts'
import type { World } from './world.ts'

const commonAgents = new WeakMap<World, Promise<string>>()

/** The id of a commit, of which only the form counts. */
export const COMMIT = '0'.repeat(40)

/** What one request finds on the server. */
export class Scene {
  readonly world: World
  readonly #caller: Person
  readonly #open: TerminalClient[] = []
  /** The values of a route's parameters behind the first one. An id is that of the thing that was made last. */
  readonly #parameters: Record<string, string> = {
    ':kind': CREDENTIAL,
    ':variable': VARIABLE,
    ':connector': CONNECTOR,
    ':skill': SKILL,
    ':worktree': '',
    ':commit': COMMIT,
    ':port': '5173',
    ':linkId': '',
    ':portLinkId': '',
    ':messageId': '',
    ':rule': '',
    ':delivery': '',
    ':pid': String(LEFT_PID),
  }
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
    await hasCredential(this.world, { type: 'agent', id })
    await hasVariable(this.world, id)
    await hasConnector(this.world, { type: 'agent', id })
    await hasSkill(this.world, { type: 'agent', id })
    this.#parameters[':worktree'] = await someWorktree(this.world.database, id)
    return name
  }

  /** The same with a link to a port. */
  async withPortLink(): Promise<string> {
    const [name, token] = [await this.agent(), await this.#ownersToken()]
    const link = await call(this.world.app, `POST /agents/${name}/ports/5173/links`, { token, body: {} })
    this.#parameters[':portLinkId'] = link.json<{ id: string }>().id
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
    this.#parameters[':linkId'] = link.json<{ id: string }>().id
    return terminal.sessionId
  }

  /** Ends the terminals that this scene opened. */
  async leave(): Promise<void> {
    for (const terminal of this.#open) terminal.close()
    await Promise.all(this.#open.splice(0).map(({ closed }) => closed))
  }

  /** A recording of the owner with its file, shared with all users of the agent. */
  async recording(): Promise<string> {
    return storedRecording(this.world, await this.commonAgent())
  }

  /** A task of the owner that has ended. */
  async task(): Promise<string> {
    return tasks.storedTask(this.world, await this.commonAgent())
  }

  /** A question of a task of the owner, which waits for its answer. Each caller gets one of its own. */
  async dialog(): Promise<string> {
    return tasks.storedDialog(this.world, await this.task())
  }

  /** A message to the caller about a question of a task of the owner. */
  async noticeOfCaller(): Promise<string> {
    return tasks.storedNotice(this.world, this.#caller, await this.dialog())
  }

  async deviceOfCaller(): Promise<string> {
    return account.storedDevice(this.world, this.#caller)
  }

  async chatAccountOfCaller(): Promise<string> {
    return account.storedChatAccount(this.world, this.#caller)
  }

  /** A conversation of the owner. A busy one has a turn that has not ended, and a message that waits. */
  async conversation(isBusy: boolean): Promise<string> {
    const of = { agentName: await this.commonAgent(), userId: this.world.owner.id, isBusy }
    const { id, messageId } = await storedConversation(this.world.database.prisma, of)
    this.#parameters[':messageId'] = messageId
    return id
  }

  async signInOfCaller(): Promise<string> {
    return account.storedSignIn(this.world, this.#caller)
  }

  /** A code that a program shows. */
  async deviceCode(): Promise<string> {
    const body = { name: 'walked', scopes: ['terminal'] }
    await this.world.database.prisma.deviceLogin.deleteMany()
    return (await call(this.world.app, 'POST /device-logins', { body })).json<{ userCode: string }>().userCode
  }

  async tokenOfCaller(): Promise<string> {
    return account.storedToken(this.world, this.#caller)
  }

  async sshKeyOfCaller(): Promise<string> {
    return account.storedSshKey(this.world, this.#caller)
  }

  async cliProviderOfCaller(): Promise<string> {
    return account.storedCliProvider(this.world, this.#caller)
  }

  /** A comparison of the caller with one task, which has ended and the same id. */
  async comparisonOfCaller(): Promise<string> {
    const of = { agentName: await this.commonAgent(), task: await this.task() }
    this.compared = await tasks.storedComparison(this.world, this.#caller, of)
    return this.compared
  }

  async scheduleOfCaller(): Promise<string> {
    return tasks.storedSchedule(this.world, this.#caller, await this.commonAgent())
  }

  /** An outgoing webhook of the caller or of the platform, with one delivery that is over. */
  async webhook(ofPlatform: boolean): Promise<string> {
    const { id, deliveryId } = await storedWebhook(this.world, this.#caller, ofPlatform)
    this.#parameters[':delivery'] = deliveryId
    return id
  }

  async incomingHook(): Promise<string> {
    return storedIncomingHook(this.world, this.#caller, await this.agent())
  }

  /** A template of the caller or of the platform. */
  async template(ofPlatform: boolean): Promise<string> {
    return tasks.storedTemplate(this.world, ofPlatform ? null : this.#caller.id)
  }

  /** An approval rule of the caller or of the platform. */
  async rule(of: 'user' | 'platform'): Promise<string> {
    return tasks.storedRule(this.world, { userId: of === 'user' ? this.#caller.id : null })
  }

  /** The name of an agent with an approval rule. */
  async agentWithRule(): Promise<string> {
    const name = await this.commonAgent()
    const { id: agentId } = await this.world.database.prisma.agent.findUniqueOrThrow({ where: { name } })
    this.#parameters[':rule'] = await tasks.storedRule(this.world, { agentId })
    return name
  }

  async invitedUser(): Promise<string> {
    return (await this.world.database.prisma.user.create({ data: { email: this.newEmail() } })).id
  }

  /** The kind of a credential that the caller has set. */
  async credentialOfCaller(): Promise<string> {
    return hasCredential(this.world, { type: 'user', id: this.#caller.id })
  }

  async credentialOfPlatform(): Promise<string> {
    return hasCredential(this.world, PLATFORM)
  }

  async credentialOfSystemAgent(): Promise<string> {
    return hasCredential(this.world, await this.#systemAgent())
  }

  /** The name of a variable that the system agent has. */
  async variableOfSystemAgent(): Promise<string> {
    return hasVariable(this.world, (await this.#systemAgent()).id)
  }

  async connectorOfCaller(): Promise<string> {
    return hasConnector(this.world, { type: 'user', id: this.#caller.id })
  }

  async connectorOfPlatform(): Promise<string> {
    return hasConnector(this.world, PLATFORM)
  }

  async connectorOfSystemAgent(): Promise<string> {
    return hasConnector(this.world, await this.#systemAgent())
  }

  async skillOf(owner: 'caller' | 'platform' | 'system'): Promise<string> {
    if (owner === 'platform') return hasSkill(this.world, PLATFORM)
    if (owner === 'caller') return hasSkill(this.world, { type: 'user', id: this.#caller.id })
    return hasSkill(this.world, await this.#systemAgent())
  }

  /** A worktree of the system agent. */
  async worktreeOfSystemAgent(): Promise<string> {
    return someWorktree(this.world.database, (await this.#systemAgent()).id)
  }

  async #systemAgent(): Promise<CredentialOwner & { readonly type: 'agent' }> {
    const { id } = await this.world.database.prisma.agent.findFirstOrThrow({ where: { isSystem: true } })
    return { type: 'agent', id }
  }

  #ownersToken(): Promise<string> {
    return this.world.signedIn(this.world.owner)
  }

  /** The address of a row's route, with `target` for its first parameter, and for `{target}` in its query. */
  fill(route: string, target: string, { query }: { readonly query?: string } = {}): string {
    let first = true
    const path = route.replaceAll(/:\w+|\*/g, (parameter) => {
      if (!first) return this.#parameters[parameter] ?? this.world.sharee.id
      first = false
      return target
    })
    return query === undefined ? path : `${path}?${query.replace('{target}', target)}`
  }
}

/**
 * Which columns of the database are recorded when they change. A new column without a declaration here does not
 * compile.
 */
import { AgentSettings } from '@slipway/protocol'
import type * as models from '../../database/generated/client.ts'

/**
 * - `recorded`: its values before and after
 * - `secret`: only that it was set, changed or removed
 * - `fact`: its value is part of the events about the row: as actor, as target, or as a fact with a name
 * - `ignored`: nothing, because it says nothing that the event itself does not say
 */
type Declaration = 'recorded' | 'secret' | 'fact' | 'ignored'
type Columns<Model> = Readonly<Record<keyof Model, Declaration>>

/** Every setting of an agent. */
const SETTINGS = Object.fromEntries(Object.keys(AgentSettings.properties).map((name) => [name, 'recorded'])) as Record<
  keyof AgentSettings,
  'recorded'
>

/** Every model is either here or in {@link NOT_AUDITED}. */
export const AUDITED = {
  User: {
    id: 'ignored',
    email: 'recorded',
    role: 'recorded',
    passwordHash: 'secret',
    disabledAt: 'recorded',
    createdAt: 'ignored',
  } satisfies Columns<models.User>,
  SignIn: {
    id: 'ignored',
    userId: 'ignored',
    refreshHash: 'secret',
    keyHash: 'secret',
    previousHash: 'secret',
    rotatedAt: 'ignored',
    userAgent: 'recorded',
    createdAt: 'ignored',
    // Changes with every refresh, which is not an event.
    lastUsedAt: 'ignored',
    expiresAt: 'ignored',
    revokedAt: 'ignored',
  } satisfies Columns<models.SignIn>,
  ApiToken: {
    id: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    tokenHash: 'secret',
    scopes: 'recorded',
    createdAt: 'ignored',
    expiresAt: 'recorded',
    lastUsedAt: 'ignored',
  } satisfies Columns<models.ApiToken>,
  SshKey: {
    id: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    // The fingerprint says which key it is.
    publicKey: 'ignored',
    fingerprint: 'recorded',
    createdAt: 'ignored',
    lastUsedAt: 'ignored',
  } satisfies Columns<models.SshKey>,
  Link: {
    id: 'ignored',
    purpose: 'recorded',
    tokenHash: 'secret',
    userId: 'ignored',
    createdAt: 'ignored',
    expiresAt: 'recorded',
  } satisfies Columns<models.Link>,
  Agent: {
    id: 'ignored',
    name: 'recorded',
    ownerId: 'recorded',
    ...SETTINGS,
    isSystem: 'recorded',
    // The server chooses it, and no answer of the API contains it.
    uid: 'ignored',
    createdAt: 'ignored',
    // Follows from acts that are recorded themselves.
    lentAt: 'ignored',
  } satisfies Columns<models.Agent>,
  Recording: {
    id: 'ignored',
    agentId: 'ignored',
    userId: 'ignored',
    email: 'ignored',
    mode: 'ignored',
    startedAt: 'ignored',
    endedAt: 'ignored',
    durationMs: 'ignored',
    bytes: 'ignored',
    state: 'ignored',
    input: 'ignored',
    shared: 'recorded',
  } satisfies Columns<models.Recording>,
  Share: {
    agentId: 'ignored',
    userId: 'recorded',
    createdAt: 'ignored',
  } satisfies Columns<models.Share>,
  Credential: {
    id: 'ignored',
    owner: 'ignored',
    agentId: 'ignored',
    userId: 'ignored',
    kind: 'recorded',
    address: 'recorded',
    sealed: 'secret',
    keyId: 'secret',
    setAt: 'ignored',
    setById: 'ignored',
  } satisfies Columns<models.Credential>,
  AgentVariable: {
    id: 'ignored',
    agentId: 'ignored',
    name: 'recorded',
    secret: 'recorded',
    sealed: 'secret',
    keyId: 'secret',
    setAt: 'ignored',
    setById: 'ignored',
  } satisfies Columns<models.AgentVariable>,
  Connector: {
    id: 'ignored',
    owner: 'ignored',
    agentId: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    kind: 'recorded',
    enabled: 'recorded',
    sealed: 'secret',
    keyId: 'secret',
    setAt: 'ignored',
    setById: 'ignored',
  } satisfies Columns<models.Connector>,
  Skill: {
    id: 'ignored',
    owner: 'ignored',
    agentId: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    enabled: 'recorded',
    text: 'secret',
    files: 'secret',
    setAt: 'ignored',
    setById: 'ignored',
  } satisfies Columns<models.Skill>,
  SkillSetting: {
    agentId: 'ignored',
    repository: 'recorded',
    maxPromptTokens: 'recorded',
  } satisfies Columns<models.SkillSetting>,
  AgentTools: {
    agentId: 'ignored',
    tokenId: 'recorded',
    setAt: 'ignored',
  } satisfies Columns<models.AgentTools>,
  WorktreeSettings: {
    agentId: 'ignored',
    mode: 'recorded',
    root: 'recorded',
    setup: 'recorded',
  } satisfies Columns<models.WorktreeSettings>,
  // Its start, each reconnection and its end are events.
  TerminalSession: {
    id: 'fact',
    agentId: 'fact',
    userId: 'fact',
    mode: 'fact',
    tab: 'fact',
    startedAt: 'ignored',
    endedAt: 'ignored',
    endReason: 'fact',
    exitCode: 'fact',
    leader: 'ignored',
    via: 'fact',
    viaId: 'fact',
    // Follows from the credentials, whose setting and removal are events.
    personal: 'ignored',
    cliSessionId: 'fact',
    task: 'ignored',
  } satisfies Columns<models.TerminalSession>,
  // Its start and its end are events. The prompt and the answers belong to its user and to those of the agent.
  CodingRun: {
    id: 'fact',
    agentId: 'fact',
    agentName: 'fact',
    userId: 'fact',
    provider: 'fact',
    displayName: 'ignored',
    outputFormat: 'ignored',
    prompt: 'ignored',
    cwd: 'ignored',
    model: 'ignored',
    mode: 'ignored',
    timeoutSeconds: 'ignored',
    personal: 'ignored',
    resumed: 'ignored',
    forks: 'ignored',
    cliSessionId: 'ignored',
    state: 'ignored',
    reason: 'fact',
    error: 'ignored',
    exitCode: 'fact',
    result: 'ignored',
    costUsd: 'ignored',
    costEstimated: 'ignored',
    maxTurns: 'ignored',
    maxBudgetUsd: 'ignored',
    totals: 'ignored',
    lastSeq: 'ignored',
    generation: 'ignored',
    sessionId: 'fact',
    via: 'ignored',
    viaId: 'ignored',
    queue: 'ignored',
    waitsForLimit: 'ignored',
    policy: 'ignored',
    asksSince: 'ignored',
    askedMs: 'ignored',
    continuesAt: 'ignored',
    beganAt: 'ignored',
    startedAt: 'ignored',
    createdAt: 'ignored',
    endedAt: 'ignored',
    startTree: 'ignored',
    worktree: 'ignored',
    changesDetected: 'ignored',
    filesChanged: 'ignored',
    insertions: 'ignored',
    deletions: 'ignored',
    scheduleId: 'fact',
    scheduledFor: 'ignored',
    // Its setting and its removal are events.
    archivedAt: 'ignored',
    validate: 'ignored',
    validation: 'ignored',
    gateRepairs: 'ignored',
    repairs: 'ignored',
    repairPrompt: 'ignored',
    workedMs: 'ignored',
    spentUsd: 'ignored',
  } satisfies Columns<models.CodingRun>,
  Budget: {
    owner: 'ignored',
    userId: 'ignored',
    limitUsd: 'recorded',
    setAt: 'ignored',
  } satisfies Columns<models.Budget>,
  CliProvider: {
    id: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    displayName: 'recorded',
    description: 'recorded',
    binary: 'recorded',
    category: 'recorded',
    icon: 'recorded',
    color: 'recorded',
    authMethod: 'recorded',
    configServiceName: 'recorded',
    apiKeyEnvVar: 'recorded',
    defaultArgs: 'recorded',
    promptTemplate: 'recorded',
    promptVia: 'recorded',
    outputFormat: 'recorded',
    defaultTimeoutMs: 'recorded',
    maxTimeoutMs: 'recorded',
    isActive: 'recorded',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.CliProvider>,
  // The prompt belongs to its user. That it was changed is recorded.
  Schedule: {
    id: 'ignored',
    userId: 'ignored',
    agentId: 'recorded',
    via: 'ignored',
    viaId: 'ignored',
    name: 'recorded',
    cron: 'recorded',
    timezone: 'recorded',
    missed: 'recorded',
    enabled: 'recorded',
    disabledBecause: 'ignored',
    provider: 'recorded',
    prompt: 'secret',
    cwd: 'recorded',
    model: 'recorded',
    timeoutSeconds: 'recorded',
    maxTurns: 'recorded',
    maxBudgetUsd: 'recorded',
    worktree: 'recorded',
    validate: 'recorded',
    gateRepairs: 'recorded',
    nextAt: 'ignored',
    laterAt: 'ignored',
    lastRunId: 'ignored',
    skippedAt: 'ignored',
    skippedBecause: 'ignored',
    version: 'ignored',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.Schedule>,
  // The address may hold a secret of the receiver.
  Webhook: {
    id: 'ignored',
    userId: 'ignored',
    via: 'ignored',
    viaId: 'ignored',
    name: 'recorded',
    kinds: 'recorded',
    withText: 'recorded',
    enabled: 'recorded',
    disabledBecause: 'ignored',
    failingSince: 'ignored',
    sealed: 'secret',
    keyId: 'secret',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.Webhook>,
  IncomingHook: {
    id: 'ignored',
    userId: 'ignored',
    agentId: 'recorded',
    via: 'ignored',
    viaId: 'ignored',
    name: 'recorded',
    source: 'recorded',
    events: 'recorded',
    enabled: 'recorded',
    disabledBecause: 'ignored',
    provider: 'recorded',
    prompt: 'secret',
    cwd: 'recorded',
    model: 'recorded',
    timeoutSeconds: 'recorded',
    maxTurns: 'recorded',
    maxBudgetUsd: 'recorded',
    worktree: 'recorded',
    validate: 'recorded',
    gateRepairs: 'recorded',
    sealed: 'secret',
    keyId: 'secret',
    lastAt: 'ignored',
    lastRunId: 'ignored',
    lastRefused: 'ignored',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.IncomingHook>,
  PromptTemplate: {
    id: 'ignored',
    userId: 'ignored',
    name: 'recorded',
    prompt: 'secret',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.PromptTemplate>,
  AgentTemplate: {
    id: 'ignored',
    name: 'recorded',
    description: 'recorded',
    settings: 'recorded',
    repository: 'recorded',
    setupCommand: 'recorded',
    variables: 'recorded',
    createdAt: 'ignored',
    updatedAt: 'ignored',
  } satisfies Columns<models.AgentTemplate>,
  ApprovalRule: {
    id: 'ignored',
    userId: 'ignored',
    agentId: 'ignored',
    decision: 'recorded',
    covers: 'recorded',
    createdAt: 'ignored',
    createdBy: 'ignored',
    expiresAt: 'recorded',
  } satisfies Columns<models.ApprovalRule>,
  // Its creation, each use and its revocation are events.
  TerminalLink: {
    id: 'fact',
    sessionId: 'fact',
    createdById: 'fact',
    secretHash: 'secret',
    access: 'fact',
    audience: 'fact',
    createdAt: 'ignored',
    // No longer than a week; each use is an event of its own.
    expiresAt: 'ignored',
  } satisfies Columns<models.TerminalLink>,
  PortLink: {
    id: 'fact',
    agentId: 'fact',
    port: 'fact',
    createdById: 'fact',
    via: 'ignored',
    viaId: 'ignored',
    secretHash: 'secret',
    createdAt: 'ignored',
    // No longer than a week; each use is an event of its own.
    expiresAt: 'ignored',
  } satisfies Columns<models.PortLink>,
} as const

/** Models whose rows users do not change directly, with the reason why their columns are not recorded. */
export const NOT_AUDITED = {
  AuditEvent: 'is the log itself',
  Notice: 'follows from a question or from a terminal that waits, and says nothing that an answer does not say',
  PushDevice: 'that it is added and removed are events; its address and its keys are secrets of the browser',
  PushKeys: 'the server makes them at its first start',
  DashboardMark: 'is a user’s note for their own screen and affects no other user',
  AgentTemplateSecret: 'is part of a template, whose change is an event that names it',
  AgentPreparation:
    'is part of the request that creates its agent, whose event names it; that users cancel, retry or confirm it are events',
  Worktree: 'is made for a task, whose start is an event; that a user removes it is an event',
  PullRequest: 'repeats what a host answered; its opening is an event',
  Dialog: 'its question follows from a task; its answer is an event',
  RunUsage: 'follows from runs, whose starts and ends are events',
  ChatAccount: 'that it is linked and unlinked are events',
  ChatCode: 'that it is made and used are events; its hash is a secret',
  DeviceLogin: 'that a user allows or denies it is an event, and so is the token that follows; its hashes are secrets',
  ChatRoom: 'which channels an agent has is an event',
  ChatThread: 'shows a conversation, whose beginning is an event',
  ChatMessage: 'points to a message of a conversation, whose sending is an event',
  ChatQuestion: 'points to a question, whose answer is an event',
  Conversation: 'what users did is an event with its own facts',
  ConversationMessage: 'its sending, its changes and its withdrawal are events, and its text belongs to its user',
  Comparison: 'groups tasks, whose starts and archiving are events',
  ComparisonTarget: 'follows from the request that starts a task, whose start is an event',
  Validation: 'follows from a task; that a user starts one is an event, as its programs are',
  WebhookDelivery: 'follows from the end of a task; that a user tests or repeats one is an event',
  IdempotencyKey: 'what the request did is an event of its own',
  AgentEvent: 'is a journal of what happened by itself; what people did is here',
  Preferences: 'is a user’s choice for their own screen and affects no other user',
  SecretKeyState: 'is changed by the command that rotates the key, on the machine itself',
} as const satisfies Record<Exclude<models.Prisma.ModelName, keyof typeof AUDITED>, string>

/** A model whose changes are recorded. */
export type AuditedModel = keyof typeof AUDITED
/** The recorded change of one column. A missing side had no value. */
export type Change =
  { readonly before?: unknown; readonly after?: unknown } | { readonly secret: 'set' | 'changed' | 'removed' }
export type Changes = Readonly<Record<string, Change>>

/** A row, as far as it is known. */
type Row<Model extends AuditedModel> = Partial<Record<keyof (typeof AUDITED)[Model], unknown>>

/** The differences, by the declarations. `before` is null for a new row, `after` for a removed one. */
export function changesOf<Model extends AuditedModel>(
  model: Model,
  before: Row<Model> | null,
  after: Row<Model> | null,
): Changes {
  const changes: Record<string, Change> = {}
  for (const [column, declaration] of Object.entries(AUDITED[model]) as [keyof Row<Model> & string, Declaration][]) {
    if (declaration === 'ignored' || declaration === 'fact') continue
    const [old, now] = [before?.[column] ?? null, after?.[column] ?? null]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    if (declaration === 'secret')
      changes[column] = { secret: old === null ? 'set' : now === null ? 'removed' : 'changed' }
    else changes[column] = { ...(before && { before: old }), ...(after && { after: now }) }
  }
  return changes
}

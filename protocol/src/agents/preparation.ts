/** What an agent begins with: a repository, a set-up command and a first task. */
import Type, { type Static } from 'typebox'
import { AgentSettings } from './settings.ts'
import { AGENT_NAME_PATTERN, AgentName, Runtime } from './names.ts'
import { Nullable, Timestamp } from '../common.ts'
import { RUN_FIELDS } from '../tasks/runs.ts'

/** Longest address of a repository, in characters. Hosts allow far fewer. */
export const REPOSITORY_URL_MAX = 2048
/** The name of a folder directly in the home. It never starts with `-` or `.`. */
export const REPOSITORY_FOLDER_PATTERN = '^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$'
/** Longest set-up command, in characters. A longer one belongs in a file of the repository. */
export const SETUP_COMMAND_MAX = 4096
/** Most characters of the last output that an answer has. */
export const PREPARATION_OUTPUT_MAX = 4096

/** What happens with the `devcontainer.json` of a repository: users are asked about it, or it is not read. */
export const DEVCONTAINER_WISHES = ['ask', 'ignore'] as const

export const AgentRepository = Type.Object(
  {
    /** `https://`, `http://`, `ssh://` or `user@host:path`, without a password. */
    url: Type.String({ minLength: 1, maxLength: REPOSITORY_URL_MAX }),
    /** A branch or a tag. Without it, the default branch of the remote. */
    ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    /** The folder in the home. Without it, the name of the repository. */
    folder: Type.Optional(Type.String({ pattern: REPOSITORY_FOLDER_PATTERN })),
    /** `ask` by default. */
    devcontainer: Type.Optional(Type.Enum(DEVCONTAINER_WISHES)),
  },
  { additionalProperties: false },
)
export type AgentRepository = Static<typeof AgentRepository>

/** A task that starts when the agent is prepared. It waits in line if it cannot start at once. */
export const FirstTask = Type.Object(
  { prompt: RUN_FIELDS.prompt, provider: RUN_FIELDS.provider },
  { additionalProperties: false },
)
export type FirstTask = Static<typeof FirstTask>

export const SetupCommand = Type.String({
  minLength: 1,
  maxLength: SETUP_COMMAND_MAX,
  pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$',
})

/** The name of a template of agents, which scripts use. */
export const AgentTemplateName = Type.String({ pattern: AGENT_NAME_PATTERN })

export const CreateAgent = Type.Object(
  {
    name: AgentName,
    ...Type.Partial(AgentSettings).properties,
    /** Needed without a template. */
    runtime: Type.Optional(Runtime),
    /** The fields that are missing are those of this template. */
    template: Type.Optional(AgentTemplateName),
    /** It is cloned into the home once the agent runs. */
    repository: Type.Optional(AgentRepository),
    /** Runs after the clone, by `/bin/sh` in the folder of the clone, or in the home. */
    setupCommand: Type.Optional(SetupCommand),
    task: Type.Optional(FirstTask),
  },
  { additionalProperties: false, anyOf: [{ required: ['runtime'] }, { required: ['template'] }] },
)
export type CreateAgent = Static<typeof CreateAgent>

/** What the `devcontainer.json` of a repository offers. All its texts come from the repository. */
export const DevcontainerOffer = Type.Object({
  /** The file, relative to the top of the repository. */
  path: Type.String(),
  /** Why nothing of the file can be used; otherwise null. */
  problem: Nullable(Type.String()),
  image: Nullable(Type.Object({ name: Type.String(), isAllowed: Type.Boolean() })),
  /** `problem` says why a variable cannot be set. */
  containerEnv: Type.Array(
    Type.Object({ name: Type.String(), value: Type.String(), problem: Nullable(Type.String()) }),
  ),
  /** They run at the same time. A text is for a shell, a list is a program with its arguments. */
  postCreateCommand: Type.Array(
    Type.Object({
      name: Nullable(Type.String()),
      command: Type.Union([Type.String(), Type.Array(Type.String())]),
    }),
  ),
  forwardPorts: Type.Array(Type.Integer()),
  /** Properties of the file that are not used. */
  unused: Type.Array(Type.String()),
})
export type DevcontainerOffer = Static<typeof DevcontainerOffer>

/** Which parts of the offer are used. */
export const ConfirmPreparation = Type.Object(
  { image: Type.Boolean(), containerEnv: Type.Boolean(), postCreateCommand: Type.Boolean() },
  { additionalProperties: false },
)
export type ConfirmPreparation = Static<typeof ConfirmPreparation>

/**
 * `waiting`: for the agent to run. `confirming`: for a user to decide about the offer. `ready`, `failed` and `cancelled`
 * are ends; the last two can be tried again.
 */
export const PREPARATION_STATES = [
  'waiting',
  'cloning',
  'confirming',
  'setting_up',
  'ready',
  'failed',
  'cancelled',
] as const
export type PreparationState = (typeof PREPARATION_STATES)[number]

export const Preparation = Type.Object({
  state: Type.Enum(PREPARATION_STATES),
  repository: Nullable(
    Type.Object({
      url: Type.String(),
      ref: Nullable(Type.String()),
      /** Its absolute path. */
      folder: Type.String(),
      isCloned: Type.Boolean(),
      /** Null before the clone. `branch` is also null for a tag, `commit` for an empty repository. */
      commit: Nullable(Type.String()),
      branch: Nullable(Type.String()),
    }),
  ),
  setupCommand: Nullable(Type.String()),
  /** While it is cloning: what git does, and how much of it is done. */
  progress: Nullable(Type.Object({ step: Type.String(), percent: Nullable(Type.Integer()) })),
  offer: Nullable(DevcontainerOffer),
  confirmed: Nullable(ConfirmPreparation),
  /** The first task. `sessionId` once it has started, `error` if it could not. */
  task: Nullable(
    Type.Object({
      /** In whose name it starts; null: that user was deleted. */
      userId: Nullable(Type.String()),
      /** Null in events, for other users, and for a token that may not read tasks. */
      prompt: Nullable(Type.String()),
      provider: Nullable(Type.String()),
      sessionId: Nullable(Type.String()),
      error: Nullable(Type.String()),
    }),
  ),
  /** Why it failed. */
  error: Nullable(Type.String()),
  /** The last that git or the set-up printed, without known secrets. The text comes from the container. */
  output: Type.String(),
  changedAt: Timestamp,
})
export type Preparation = Static<typeof Preparation>

/** Null for an agent that begins with nothing. */
export const AgentPreparation = Type.Object({ preparation: Nullable(Preparation) })
export type AgentPreparation = Static<typeof AgentPreparation>

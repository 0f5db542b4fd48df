/** One prompt for several coding CLIs at once, whose results are compared. */
import Type, { type Static } from 'typebox'
import { AgentName, Model } from '../agents/names.ts'
import { Nullable, Timestamp } from '../common.ts'
import { CodingSession, RUN_FIELDS } from './runs.ts'

/** How many targets a comparison has. */
export const COMPARED_MIN = 2
export const COMPARED_MAX = 6
/** Most comparisons on one page, and comparisons on a page by default. */
export const COMPARISONS_LIMIT_MAX = 50
export const COMPARISONS_LIMIT_DEFAULT = 20
/** The last page that can be asked for. */
const COMPARISONS_PAGE_MAX = 100_000

/** Where one of the tasks runs, and with what. */
const TARGET_FIELDS = {
  agent: AgentName,
  /** Without it, the agent's own provider. */
  provider: RUN_FIELDS.provider,
  model: Type.Optional(Model),
  cwd: RUN_FIELDS.cwd,
}

export const CreateComparison = Type.Object(
  {
    prompt: RUN_FIELDS.prompt,
    /** No two of them may be in the same folder of the same agent, or in folders of which one is inside the other. */
    targets: Type.Array(Type.Object(TARGET_FIELDS, { additionalProperties: false }), {
      minItems: COMPARED_MIN,
      maxItems: COMPARED_MAX,
    }),
    timeout_seconds: RUN_FIELDS.timeout_seconds,
    max_turns: RUN_FIELDS.max_turns,
    max_budget_usd: RUN_FIELDS.max_budget_usd,
  },
  { additionalProperties: false },
)
export type CreateComparison = Static<typeof CreateComparison>

export const ComparedTarget = Type.Object({
  /** The agent's name when the comparison began. */
  agent: Type.String(),
  /** As the request named them; null for what it left out. */
  provider: Nullable(Type.String()),
  model: Nullable(Type.String()),
  cwd: Nullable(Type.String()),
  /** Its task with a cut prompt, and in a list without its answer. Null if it did not start, or if the caller may not see it. */
  session: Nullable(CodingSession),
  /** Tokens read and written, with those of the cache. Null while it is active, and if they are not known. */
  tokens: Nullable(Type.Integer()),
  /** Why it did not start. Null if it did. */
  refusal: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
})
export type ComparedTarget = Static<typeof ComparedTarget>

export const Comparison = Type.Object({
  id: Type.String(),
  prompt: Type.String(),
  createdAt: Timestamp,
  /** The session that was chosen, or null. */
  chosenId: Nullable(Type.String()),
  /** In the order of the request. */
  targets: Type.Array(ComparedTarget),
})
export type Comparison = Static<typeof Comparison>

/** Pages are counted from 1. */
export const ComparisonsQuery = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: COMPARISONS_PAGE_MAX, default: 1 })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: COMPARISONS_LIMIT_MAX, default: COMPARISONS_LIMIT_DEFAULT }),
    ),
  },
  { additionalProperties: false },
)
export type ComparisonsQuery = Static<typeof ComparisonsQuery>

export const Comparisons = Type.Object({
  items: Type.Array(Comparison),
  page: Type.Integer(),
  limit: Type.Integer(),
  /** How many comparisons there are on all pages. */
  total: Type.Integer(),
})
export type Comparisons = Static<typeof Comparisons>

export const ChooseSession = Type.Object(
  { sessionId: Type.String({ format: 'uuid' }) },
  { additionalProperties: false },
)
export type ChooseSession = Static<typeof ChooseSession>

/** Rules of people that allow or deny what coding CLIs ask about. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/** Most rules of one user, of one agent, and of the platform. */
export const RULES_MAX = 100
/** Most words of a command in a rule. */
export const RULE_WORDS_MAX = 50
/** Most rules that one card makes. */
export const RULES_OF_QUESTION_MAX = 5

/** A word of a command. A shell joins its lines before it splits them, so no word of a rule has a line feed. */
const Word = Type.String({ minLength: 1, maxLength: 1000, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })
const exact = { additionalProperties: false } as const

/** What a rule is about. */
export const RuleCovers = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('command'),
      /** A program and the words after it, without quotes: `git`, `push`. */
      words: Type.Array(Word, { minItems: 1, maxItems: RULE_WORDS_MAX }),
      /** Whether the command has no other words. Otherwise it begins with them, and goes on without further options. */
      exact: Type.Boolean(),
    },
    exact,
  ),
  Type.Object(
    {
      kind: Type.Literal('path'),
      /** A file, or a folder with everything in it. */
      path: Type.String({ minLength: 2, maxLength: 4096, pattern: '^/[^\\u0000-\\u001f\\u007f]+$' }),
    },
    exact,
  ),
  Type.Object(
    {
      kind: Type.Literal('tool'),
      /** As the CLI calls it. It allows neither commands nor changes of files, but denies them. */
      tool: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }),
    },
    exact,
  ),
])
export type RuleCovers = Static<typeof RuleCovers>

export const RULE_DECISIONS = ['allow', 'deny'] as const
export type RuleDecision = (typeof RULE_DECISIONS)[number]

/** `user`: for the tasks of that user; `agent`: for all tasks in that agent; `platform`: for all tasks. */
export const RULE_OWNERS = ['user', 'agent', 'platform'] as const
export type RuleOwner = (typeof RULE_OWNERS)[number]

export const CreateApprovalRule = Type.Object(
  {
    decision: Type.Enum(RULE_DECISIONS),
    covers: RuleCovers,
    /** When it ends. Without it, it stays until it is deleted. */
    expiresAt: Type.Optional(Timestamp),
  },
  { additionalProperties: false },
)
export type CreateApprovalRule = Static<typeof CreateApprovalRule>

export const ApprovalRule = Type.Object({
  id: Type.String(),
  of: Type.Enum(RULE_OWNERS),
  decision: Type.Enum(RULE_DECISIONS),
  covers: RuleCovers,
  createdAt: Timestamp,
  /** The e-mail address of the user who made it. */
  createdBy: Type.String(),
  expiresAt: Nullable(Timestamp),
})
export type ApprovalRule = Static<typeof ApprovalRule>

const PLAIN = /^[\w@%+=:,./-]+$/

/** The words as a shell takes them. */
export const commandText = (words: readonly string[]): string =>
  words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')

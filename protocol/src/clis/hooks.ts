/** What Claude Code tells its hook, which arrives over the agent's relay, and what it takes for an answer. */
import Type, { type Static } from 'typebox'

/** As Claude Code prints it. The fields that count; there are more. */
export const ClaudeHook = Type.Object({
  hook_event_name: Type.String({ maxLength: 100 }),
  /** The folder of Claude, an absolute path. */
  cwd: Type.Optional(Type.String()),
  /** With `bypassPermissions` Claude asks nobody. */
  permission_mode: Type.Optional(Type.String()),
  /** Of `PreToolUse`. */
  tool_name: Type.Optional(Type.String()),
  tool_input: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** Of `Notification`. */
  message: Type.Optional(Type.String()),
  notification_type: Type.Optional(Type.String()),
})
export type ClaudeHook = Static<typeof ClaudeHook>

/** Empty: Claude goes on as it would without the hook. */
export const ClaudeHookAnswer = Type.Object({
  hookSpecificOutput: Type.Optional(
    Type.Object({
      hookEventName: Type.Literal('PreToolUse'),
      permissionDecision: Type.Enum(['allow', 'deny', 'ask'] as const),
      permissionDecisionReason: Type.String(),
      /** The whole input of the tool, in place of Claude's own. */
      updatedInput: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
})
export type ClaudeHookAnswer = Static<typeof ClaudeHookAnswer>

/** What an admin should fix of this installation. */
import Type, { type Static } from 'typebox'

/** A problem of this installation's engine, network or agents that an admin should fix. */
export const SystemWarning = Type.Object({
  /** A CVE's number, `link_local_open` or `shared_uid`. */
  code: Type.String(),
  /** A part of the engine with its version, `network` or `agents`. */
  subject: Type.String(),
  /** `critical`: an agent can use it now; `high`: the version has it; `medium`: the version may have it, or an agent can only hinder others. */
  severity: Type.Union([Type.Literal('critical'), Type.Literal('high'), Type.Literal('medium')]),
  message: Type.String(),
  /** The address of more information. */
  url: Type.String(),
})
export type SystemWarning = Static<typeof SystemWarning>

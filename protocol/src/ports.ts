/** What listens in an agent, and how a user opens it in a browser. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from './common.ts'

/** Most listeners that are told of one agent. */
export const PORTS_MAX = 64
/** Longest path that is opened, in characters. */
export const PORT_PATH_MAX = 2048

/** A port on which a program of the agent listens. */
export const AgentPort = Type.Object(
  {
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    addresses: Type.Array(Type.String(), { description: 'The addresses of the container on which it listens.' }),
    process: Nullable(
      Type.Object({
        pid: Type.Integer(),
        command: Type.String({ description: 'Its beginning. The agent may write anything here.' }),
        startedAt: Nullable(Timestamp),
      }),
    ),
  },
  { additionalProperties: false },
)
export type AgentPort = Static<typeof AgentPort>

export const AgentPorts = Type.Object(
  {
    items: Type.Array(AgentPort),
    /** Null: they can be opened. */
    unavailable: Nullable(Type.String({ description: 'Why ports cannot be opened in a browser, and what to do.' })),
  },
  { additionalProperties: false },
)
export type AgentPorts = Static<typeof AgentPorts>

export const OpenPort = Type.Object(
  {
    path: Type.Optional(
      Type.String({ maxLength: PORT_PATH_MAX, pattern: '^/', description: 'With a query. The default is `/`.' }),
    ),
  },
  { additionalProperties: false },
)
export type OpenPort = Static<typeof OpenPort>

/** An address that works once, for one browser. */
export const PortTicket = Type.Object(
  {
    url: Type.String(),
    expiresAt: Timestamp,
  },
  { additionalProperties: false },
)
export type PortTicket = Static<typeof PortTicket>

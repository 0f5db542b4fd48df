/** What listens in an agent, and how a user opens it in a browser. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { LINK_MINUTES_MAX, LINK_MINUTES_MIN } from '../terminal/watching.ts'

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

/** The prefix of the secret of a link to a port. It distinguishes it from other secrets, and lets scanners find a leaked one. */
export const PORT_LINK_PREFIX = 'slo_'
/** Most links to ports of one agent that have not expired. */
export const PORT_LINKS_MAX = 20
/** Lifetime of a link, if the request names none, in minutes. */
export const PORT_LINK_MINUTES_DEFAULT = 1440

export const CreatePortLink = Type.Object(
  { expiresInMinutes: Type.Optional(Type.Integer({ minimum: LINK_MINUTES_MIN, maximum: LINK_MINUTES_MAX })) },
  { additionalProperties: false },
)
export type CreatePortLink = Static<typeof CreatePortLink>

/** A link with which anyone may use one port of an agent. */
export const PortLink = Type.Object(
  {
    id: Type.String(),
    port: Type.Integer(),
    createdBy: Type.Object({ id: Type.String(), email: Type.String() }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { additionalProperties: false },
)
export type PortLink = Static<typeof PortLink>

/** Only this answer contains the secret, behind the # of the address: browsers send nothing after it to a server. */
export const CreatedPortLink = Type.Object(
  { ...PortLink.properties, url: Type.String() },
  { additionalProperties: false },
)
export type CreatedPortLink = Static<typeof CreatedPortLink>

export const PortLinks = Type.Object({ items: Type.Array(PortLink) }, { additionalProperties: false })
export type PortLinks = Static<typeof PortLinks>

export const OpenPortLink = Type.Object(
  { secret: Type.String({ minLength: 1, maxLength: 200 }) },
  { additionalProperties: false },
)
export type OpenPortLink = Static<typeof OpenPortLink>

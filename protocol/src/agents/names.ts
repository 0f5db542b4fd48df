/** How agents, the programs in them and models are named. */
import Type, { type Static } from 'typebox'

/** 1 to 40 characters. It is part of a container's name, so both Docker and DNS must accept it. */
export const AGENT_NAME_PATTERN = '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$'
export const AgentName = Type.String({ pattern: AGENT_NAME_PATTERN })

/** An agent's home in its container, on a volume that survives the container. */
export const AGENT_HOME = '/home/developer'

/** The id of a provider, or the name of a program in the image's PATH (never an option, never a path). */
export const Runtime = Type.String({ pattern: '^[a-z][a-z0-9._-]{0,39}$' })
export type Runtime = Static<typeof Runtime>

/** A model's name as CLIs accept it. It never starts with `-`, so that it cannot become an option. */
export const MODEL_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}$'
export const Model = Type.String({ pattern: MODEL_PATTERN })

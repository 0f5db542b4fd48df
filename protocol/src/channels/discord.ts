/** Discord: the account of a user there, and the channels of an agent. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/** Channels in which one agent may be talked with. */
export const DISCORD_CHANNELS_MAX = 20

/** Why Discord may refuse the bot: its token is not valid, or its intents are not allowed. */
export const DISCORD_REFUSALS = ['token', 'intents'] as const

/** A user's account. */
export const DiscordAccount = Type.Object({
  /** Whether the server has a bot that Discord does not refuse. */
  available: Type.Boolean(),
  /** Null: Discord does not refuse the bot, or there is none. */
  refusal: Nullable(Type.Enum(DISCORD_REFUSALS)),
  /** The linked account; null: none is linked. */
  account: Nullable(
    Type.Object({
      /** Discord's id of it. */
      id: Type.String(),
      /** Its name when it was linked. */
      name: Type.String(),
      linkedAt: Timestamp,
    }),
  ),
})
export type DiscordAccount = Static<typeof DiscordAccount>

/** A code to enter with `/link` in Discord. */
export const DiscordCode = Type.Object({ code: Type.String(), expiresAt: Timestamp })
export type DiscordCode = Static<typeof DiscordCode>

/** The channels of an agent, by Discord's ids. */
export const DiscordChannels = Type.Object(
  {
    channels: Type.Array(Type.String({ pattern: '^[0-9]{15,20}$' }), {
      maxItems: DISCORD_CHANNELS_MAX,
      uniqueItems: true,
    }),
  },
  { additionalProperties: false },
)
export type DiscordChannels = Static<typeof DiscordChannels>

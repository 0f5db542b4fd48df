/**
 * The id of a channel, from what users copy in Discord: the id, or the link of the channel. Null if it is neither. A link of a
 * message has the channel before the message.
 */
export function discordChannelIn(text: string): string | null {
  const link = /^https:\/\/(?:\w+\.)?discord\.com\/channels\/\d{15,20}\/(\d{15,20})(?:\/\d{15,20})?\/?$/.exec(
    text.trim(),
  )
  if (link) return link[1] ?? null
  return /^\d{15,20}$/.test(text.trim()) ? text.trim() : null
}

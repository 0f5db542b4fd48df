/** A bot that hears nothing, without a server. */
import { type Discord as Stub, startDiscord } from '@slipway/testing/discord'
import { Discord } from '../../../src/modules/channels/discord/discord.ts'

const LISTENER = {
  ...{ connected: () => undefined, rang: () => undefined },
  ...{ changed: () => Promise.resolve(), commanded: () => Promise.resolve() },
  ...{ pressed: () => Promise.resolve(), submitted: () => Promise.resolve() },
}
/** A bot with this token in a Discord of its own. `errors` are what it has logged. */
export const withBot = async (
  token: string,
  act: (bot: Discord, own: Stub, errors: readonly string[]) => Promise<void>,
) => {
  const own = await startDiscord()
  const errors: string[] = []
  const error = (...said: readonly unknown[]): void => void errors.push(String(said.at(-1)))
  const log = { info: () => undefined, warn: error, error }
  const bot = new Discord({ config: { token, api: own.api }, log, refusedPauseMs: 50 })
  await bot.connect(LISTENER)
  try {
    await act(bot, own, errors)
  } finally {
    await bot.close()
    await own.close()
  }
}

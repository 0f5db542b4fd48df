import { describe, expect, it } from 'vitest'
import { discordChannelIn } from './discordChannel.ts'

const ID = '123456789012345678'

describe('the channel in what users copy', () => {
  it.each([
    ID,
    `  ${ID}\n`,
    `https://discord.com/channels/876543210987654321/${ID}`,
    `https://discord.com/channels/876543210987654321/${ID}/111111111111111111`,
    `https://canary.discord.com/channels/876543210987654321/${ID}/`,
  ])('is found in %j', (text) => {
    expect(discordChannelIn(text)).toBe(ID)
  })

  it.each(['', 'general', '#general', '1234', `https://example.org/channels/876543210987654321/${ID}`, `${ID} ${ID}`])(
    'is not found in %j',
    (text) => {
      expect(discordChannelIn(text)).toBe(null)
    },
  )
})

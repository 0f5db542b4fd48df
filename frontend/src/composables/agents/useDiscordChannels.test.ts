import { beforeEach, expect, test, vi } from 'vitest'
import { readDiscordChannels, setDiscordChannels } from '@/api/channels/discord.ts'
import { useDiscordChannels } from './useDiscordChannels.ts'

vi.mock('@/api/channels/discord.ts', () => ({ readDiscordChannels: vi.fn(), setDiscordChannels: vi.fn() }))

/** The channels that the server has. */
let stored: readonly string[]

beforeEach(() => {
  stored = ['1', '2']
  vi.mocked(readDiscordChannels).mockImplementation(() => Promise.resolve({ channels: [...stored] }))
  vi.mocked(setDiscordChannels).mockImplementation((_key, channels) => {
    stored = channels
    return Promise.resolve({ channels: [...channels] })
  })
})

const open = async () => {
  const used = useDiscordChannels(() => 'agent')
  await used.load()
  return used
}

test('a window that was open for long keeps the channels that another window has added and removed', async () => {
  const { channels, add, remove } = await open()
  stored = ['2', '3']
  await add('4')
  expect([stored, channels.value]).toEqual([
    ['2', '3', '4'],
    ['2', '3', '4'],
  ])
  stored = [...stored, '5']
  await remove('2')
  expect(stored).toEqual(['3', '4', '5'])
})

test('a channel that another window has added or removed already is shown so, and nothing is set', async () => {
  const { channels, add, remove } = await open()
  stored = ['2', '3']
  await Promise.all([add('3'), remove('1')])
  expect(channels.value).toEqual(['2', '3'])
  expect(setDiscordChannels).not.toHaveBeenCalled()
})

test('two changes at once are both made, also after one that failed', async () => {
  const { remove, add } = await open()
  vi.mocked(readDiscordChannels).mockRejectedValueOnce(new Error('No network.'))
  const failed = expect(add('9')).rejects.toThrow('No network.')
  await Promise.all([remove('1'), remove('2'), add('3')])
  await failed
  expect(stored).toEqual(['3'])
})

/** Discord from its pages to a thread: a user links an account, opens a channel, and talks there over a killed server. */
// In the short form the database tests have all that the bot does.
import '@slipway/testing/long'
import { until } from '@slipway/testing'
import { BOT_TOKEN, startDiscord, type User } from '@slipway/testing/discord'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, newUser } from '../../support/api.ts'
import { useOwnServer } from '../../support/own-server.ts'
import { graveOn } from '../../support/page/axe.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { putStub } from '../../support/tasks/stub.ts'

const discord = await startDiscord()
const own = useOwnServer({ SLIPWAY_DISCORD_TOKEN: BOT_TOKEN, SLIPWAY_DISCORD_API: discord.api })
useBrowser()
const account: User = { id: discord.channels.newId(), username: 'noor' }
const channel = discord.channels.add()
let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(own.admin)
  agent = (await owner.agent()).name
  await putStub(owner, agent, 'claude-code')
})
afterAll(() => discord.close())

const open = (path: string) => visit(owner.at(own.admin.baseUrl), path, { baseURL: own.admin.baseUrl, preloads: false })
const repliesOf = async (name: string, options: Record<string, string>): Promise<string> =>
  (await discord.command(channel, account, name, options)).texts.join('\n')

it('the account page makes a code that links an account, and shows it by itself', async () => {
  const page = await open('/account')
  await page.getByTestId('discord-make-code').click()
  const shown = await page.getByTestId('discord-link').innerText()
  expect(await graveOn(page)).toEqual([])
  expect(await repliesOf('link', { code: shown.replace('/link code:', '') })).toContain('is linked')
  await page.getByTestId('discord-account').getByText('noor').waitFor()
  await page.getByRole('button', { name: 'Unlink noor' }).waitFor()
})

it('the sharing page takes the link of a channel, and refuses what is none', async () => {
  const page = await open(`/agents/${agent}/sharing`)
  const field = page.getByLabel('Link or id of a Discord channel')
  await field.fill('#general')
  await field.press('Enter')
  await page.getByText('Enter the link or the id of a channel.').waitFor()
  await field.fill(`https://discord.com/channels/123456789012345678/${channel}`)
  await field.press('Enter')
  await page.getByTestId(`discord-channel-${channel}`).waitFor()
  expect(await graveOn(page)).toEqual([])
})

it('what is said in a thread while the server is dead is answered afterwards, once', async () => {
  const thread = /<#(\d+)>/.exec(await repliesOf('code', { prompt: '@twice' }))?.[1] ?? ''
  // Each answer is followed by what it cost.
  const answers = (): string[] =>
    discord.channels
      .in(thread)
      .flatMap(({ author, content }) => (author.bot === true && !content.startsWith('-# ') ? [content] : []))
  await until('the first answer', () => answers().length === 1)
  await own.end('SIGKILL')
  discord.say(thread, account, '@cost')
  await own.start()
  await until('the second answer', () => answers().length === 2)
  expect(answers()).toEqual(['Second.', 'All.'])
})

it('the account page unlinks', async () => {
  const page = await open('/account')
  await page.getByRole('button', { name: 'Unlink noor' }).click()
  await page.getByTestId('confirm-action').click()
  await page.getByTestId('discord-make-code').waitFor()
  expect(await repliesOf('code', { prompt: 'hi' })).toContain('not linked')
})

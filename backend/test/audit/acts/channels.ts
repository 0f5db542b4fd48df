import { createECDH, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { DiscordCode, PushDevice } from '@slipway/protocol'
import { call } from '../../support/people/people.ts'
import type { Team } from '../../support/people/team.ts'
import { type Act, type Answer, send, someAgent } from './act.ts'

/** A new subscription. Nothing answers at its address. */
const subscription = () => ({
  endpoint: `https://127.0.0.1:1/${randomBytes(8).toString('hex')}`,
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
})
const rowOf = ({ owner }: Team, action: 'push.added' | 'push.removed' | 'push.tested', detail: object) => ({
  ...{ action, actor: owner.email, target: owner.email },
  detail,
})
const added = async ({ app, owner }: Team): Promise<string> =>
  (await call(app, 'POST /notifications/devices', { token: owner.token, body: subscription() })).json<PushDevice>().id

const someAccount = () => ({ id: String(randomBytes(6).readUIntBE(0, 6)), name: 'ada' })
const chatRow = ({ owner }: Team, action: 'chat.code_created' | 'chat.unlinked', detail: object = {}) => ({
  ...{ action, actor: owner.email, target: owner.email },
  detail: { service: 'discord', ...detail },
})
/** Devices that get pushes, and accounts of chats. */
export const CHANNELS: readonly Act[] = [
  [
    'a new device for pushes',
    201,
    async (team) => {
      const body = subscription()
      return {
        perform: (): Promise<Answer> => send(team, team.owner, 'POST /notifications/devices', body),
        rows: [
          rowOf(team, 'push.added', { deviceId: expect.any(String) as unknown, device: expect.any(String) as unknown }),
        ],
      }
    },
  ],
  [
    'a test of a device for pushes',
    200,
    async (team) => {
      const deviceId = await added(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `POST /notifications/devices/${deviceId}/test`),
        rows: [rowOf(team, 'push.tested', { deviceId })],
      }
    },
  ],
  [
    'a removed device for pushes',
    204,
    async (team) => {
      const deviceId = await added(team)
      return {
        perform: (): Promise<Answer> => send(team, team.owner, `DELETE /notifications/devices/${deviceId}`),
        rows: [rowOf(team, 'push.removed', { deviceId })],
      }
    },
  ],
  [
    'a code to link a chat account',
    201,
    (team) =>
      Promise.resolve({
        perform: () => send(team, team.owner, 'POST /users/me/discord/code'),
        rows: [chatRow(team, 'chat.code_created')],
      }),
  ],
  [
    'a chat account that is unlinked',
    204,
    async (team) => {
      const account = someAccount()
      const { code } = (
        await call(team.app, 'POST /users/me/discord/code', { token: team.owner.token })
      ).json<DiscordCode>()
      // No route does that: it comes from the gateway.
      await team.identity.chatAccounts.link('discord', account, code, 'discord 1')
      return {
        perform: () => send(team, team.owner, 'DELETE /users/me/discord'),
        rows: [chatRow(team, 'chat.unlinked', { account: account.id })],
      }
    },
  ],
  [
    'the channels of an agent in Discord',
    200,
    async (team) => {
      const agent = await someAgent(team)
      const channels = ['123456789012345678']
      return {
        perform: () => send(team, team.owner, `PUT /agents/${agent}/discord`, { channels }),
        rows: [{ action: 'discord.channels_set', actor: team.owner.email, target: agent, detail: { channels } }],
      }
    },
  ],
]

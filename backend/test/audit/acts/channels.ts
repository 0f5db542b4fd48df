import { createECDH, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { PushDevice } from '@slipway/protocol'
import { call } from '../../support/people.ts'
import type { Team } from '../../support/team.ts'
import { type Act, type Answer, send } from './act.ts'

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

/** Devices that get pushes. */
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
]

import { type Channels, PUSH_DEVICES_MAX, type PushTest } from '@slipway/protocol'
import { type Pushed, until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { auditOf } from '../../../test/support/audit.ts'
import { useChannels } from '../../../test/support/channels/channels.ts'
import { listen } from '../../../test/support/server/listener.ts'
import { call, signIn } from '../../../test/support/people/people.ts'
import { DAY_MS } from '../../lib/time/clock.ts'
import { ATTEMPTS_MAX, HOLD_MS, PAUSES_MS } from './bounds.ts'

const channels = useChannels()
const { lines, team, ok, someUser, addDevice, ask, askNow, answer } = channels
const { pushes, titles, pushed, planned, attempted, waitTurn, push } = channels
const admin = () => signIn(team(), team().admin.email)
const allDay = { from: '00:00', to: '23:59', timezone: 'UTC' }
const noticeIn = (path: string): string => new URL(path, 'http://localhost').searchParams.get('notice') ?? ''
const pending = () => team().database.prisma.notice.count({ where: { nextAt: { not: null } } })
/** How many messages wait after a look. */
const heldBack = async () => {
  const { notice } = team().database.prisma
  return notice.count({ where: { nextAt: { gt: notice.fields.createdAt } } })
}

describe('a question', () => {
  it('is pushed, encrypted for the device and signed with the key of the server', async () => {
    const user = await someUser()
    const device = await addDevice(user)
    const { id } = await ask(user, 'Deploy\nto production?')
    await pushed(1)
    const [{ headers, bytes, claims, publicKey }] = push().received as [Pushed]
    expect(pushes()).toEqual([
      {
        title: `${user.agent} needs you`,
        body: 'Deploy to production?',
        tag: 'slipway-needs-you',
        path: expect.stringContaining(`/questions/${id}?notice=`),
        actions: [
          { action: 'yes', title: 'Yes', path: expect.stringContaining('&choice=yes') },
          { action: 'no', title: 'No', path: expect.stringContaining('&choice=no') },
        ],
      },
    ])
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' })
    // What every push service takes (RFC 8291, 4).
    expect(bytes).toBeLessThanOrEqual(4096)
    expect(claims.aud).toBe(new URL(push().received[0]?.endpoint ?? '').origin)
    const { publicKey: own, devices, mail } = await ok<Channels>(user, 'GET /notifications')
    expect([publicKey, mail]).toEqual([own, true])
    await until('the device', async () => (await ok<Channels>(user, 'GET /notifications')).devices[0]?.sentAt)
    expect(devices).toMatchObject([{ id: device.id, current: true }])
  })

  it('goes to the owner of the agent, and to no user who only sees it', async () => {
    const [owner, guest] = [await someUser(), await someUser()]
    await ok(owner, `POST /agents/${owner.agent}/shares`, { email: guest.email })
    await Promise.all([addDevice(owner), addDevice(guest)])
    await ask({ ...guest, agent: owner.agent }, 'Of the guest?')
    await pushed(2)
    await waitTurn()
    await ask(owner, 'Of the owner?')
    await pushed(3)
    await until('the outbox', async () => (await pending()) === 0)
    expect(titles().map((title) => title.split(': ')[1])).toEqual(['Of the guest?', 'Of the guest?', 'Of the owner?'])
  })

  it('waits for others, which then come as one', async () => {
    const user = await someUser()
    await addDevice(user)
    await ask(user, 'First?')
    await pushed(1)
    await askNow(user, 'Second?')
    await ask(user, 'Third?')
    await planned()
    await waitTurn()
    await pushed(2)
    expect(titles()[1]).toBe('3 need you: Third?')
    expect(pushes()[1]).toMatchObject({ path: '/', actions: [] })
  })

  it('takes the place of an earlier push and counts its question, until that is answered', async () => {
    const user = await someUser()
    await addDevice(user)
    const first = await ask(user, 'First?')
    await pushed(1)
    await waitTurn()
    await ask(user, 'Second?')
    await pushed(2)
    expect(titles()[1]).toBe('2 need you: Second?')
    expect(pushes()[1]).toMatchObject({ tag: pushes()[0]?.tag, path: '/', actions: [] })
    await answer(user, first)
    await waitTurn()
    await ask(user, 'Third?')
    await pushed(3)
    expect(titles()[2]).toBe('2 need you: Third?')
  })

  it('is not pushed once it is answered, nor if its kind or its channel is switched off', async () => {
    const [user, off, without] = [
      await someUser(),
      await someUser({ push: false }),
      await someUser({ questions: false }),
    ]
    for (const one of [user, off, without]) await addDevice(one)
    await answer(user, await ask(user, 'Answered?'))
    await ask(off, 'Off?')
    await ask(without, 'Without?')
    await planned()
    await ask(user, 'Last?')
    await pushed(1)
    expect(titles()).toEqual([`${user.agent} needs you: Last?`])
    await until('the outbox', async () => (await pending()) === 0)
  })

  it('waits in quiet hours, in the time zone of the user, and comes after them if it is still open', async () => {
    const user = await someUser({ quietHours: allDay })
    await addDevice(user)
    const answered = await ask(user, 'Answered at night?')
    await ask(user, 'At night?')
    await until('the hold', async () => (await pending()) === 2)
    await answer(user, answered)
    await ok(user, 'PUT /users/me/preferences', { notifications: { quietHours: null } })
    team().clock.advance(HOLD_MS)
    await pushed(1)
    expect(titles()).toEqual([`${user.agent} needs you: At night?`])
  })

  it('is pushed also if the clock was set back after it was asked, or while its message waited', async () => {
    const [asking, held] = [await someUser(), await someUser({ quietHours: allDay })]
    for (const one of [asking, held]) await addDevice(one)
    await ask(held, 'Held?')
    await until('the hold', async () => (await heldBack()) === 1)
    await ok(held, 'PUT /users/me/preferences', { notifications: { quietHours: null } })
    await askNow(asking, 'Asked?')
    team().clock.advance(-DAY_MS)
    await pushed(2)
    expect(titles().sort()).toEqual([`${asking.agent} needs you: Asked?`, `${held.agent} needs you: Held?`].sort())
    team().clock.advance(DAY_MS)
  })

  it('waits while its user looks at it, which only the page of a signed-in user can say', async () => {
    const user = await someUser()
    await addDevice(user)
    const { token } = await ok<{ token: string }>(user, 'POST /tokens', {
      name: 'ci',
      scopes: ['agents:read', 'tasks:read'],
    })
    const [page, program] = await Promise.all([listen(team(), user.token), listen(team(), token)])
    const { id } = await askNow(user, 'Seen?')
    const say = (ids: readonly string[]) => JSON.stringify({ type: 'dialogs:looked-at', ids })
    page.socket.send(say([id]))
    await page.hears('the question', () => page.of('dialog:opened').length === 1)
    const unseen = await ask(user, 'Unseen?')
    program.socket.send(say([unseen.id]))
    await pushed(1)
    expect(titles()).toEqual([`${user.agent} needs you: Unseen?`])
    await attempted()
    page.socket.close()
    await page.closed
    team().clock.advance(HOLD_MS)
    await pushed(2)
    expect(titles()[1]).toBe('2 need you: Seen?')
    program.socket.close()
    await program.closed
  })

  it('is answered from its push by its user only, which the audit log says', async () => {
    const [user, other] = [await someUser(), await someUser()]
    await addDevice(user)
    const { id } = await ask(user, 'Really?')
    await pushed(1)
    const notice = noticeIn(pushes()[0]?.path ?? '')
    const body = { value: false }
    expect((await call(team().app, `POST /notices/${notice}/answer`, { token: other.token, body })).statusCode).toBe(
      404,
    )
    expect(await ok(user, `POST /notices/${notice}/answer`, body)).toMatchObject({
      id,
      state: 'answered',
      answer: body,
    })
    const again = await call(team().app, `POST /notices/${notice}/answer`, { token: user.token, body })
    expect(again.json()).toMatchObject({ code: 'DIALOG_CLOSED' })
    const [entry] = await auditOf(team(), await admin(), '&action=dialog.answered')
    expect(entry).toMatchObject({ actor: { email: user.email }, detail: { dialogId: id, from: 'push' } })
  })
})

describe('a device', () => {
  it('is removed when its push service says that it is gone, or when its sign-in has ended', async () => {
    const [user, left] = [await someUser(), await someUser()]
    await addDevice(user)
    await addDevice(left)
    push().status = 410
    await ask(user, 'Gone?')
    const devicesOf = async (person: typeof user) => (await ok<Channels>(person, 'GET /notifications')).devices
    await until('the removal', async () => (await devicesOf(user)).length === 0)
    const again = await signIn(team(), left.email)
    await ok(again, 'DELETE /users/me/sign-ins')
    push().status = 201
    push().received.length = 0
    await ask({ ...left, ...again }, 'Signed out?')
    await until('the removal', async () => (await devicesOf({ ...left, ...again })).length === 0)
    expect(push().received).toEqual([])
    const removed = await auditOf(team(), await admin(), '&action=push.removed')
    expect(
      removed.slice(0, 2).map(({ actor, target, detail }) => [actor.via, target?.name, detail['because']]),
    ).toEqual([
      ['platform', left.email, 'signed_out'],
      ['platform', user.email, 'expired'],
    ])
  })

  it('whose push service refuses is tried again with pauses, and given up in the end', async () => {
    const user = await someUser()
    await addDevice(user)
    push().status = 503
    await ask(user, 'Again?')
    for (const [at, pause] of PAUSES_MS.entries()) {
      await pushed(at + 1)
      await until('the pause', async () => (await team().database.prisma.notice.findFirst())?.attempts === at + 1)
      team().clock.advance(pause)
    }
    await pushed(ATTEMPTS_MAX)
    await until('the end', async () => (await team().database.prisma.notice.count()) === 0)
    expect(push().received).toHaveLength(ATTEMPTS_MAX)
    expect(lines.join('')).not.toContain(new URL(push().received[0]?.endpoint ?? '').pathname)
  })

  it('is tested at once, and never at an address that is not public', async () => {
    const user = await someUser({ quietHours: allDay })
    const { id } = await addDevice(user)
    expect(await ok(user, `POST /notifications/devices/${id}/test`)).toEqual({ error: null })
    expect(titles()).toEqual(['Slipway: Pushes reach this device.'])
    const endpoint = 'https://10.1.2.3/push'
    const hidden = await addDevice(await signIn(team(), user.email), { ...push().subscribe(), endpoint })
    const test = await ok<PushTest>(user, `POST /notifications/devices/${hidden.id}/test`)
    expect(test.error).toBe('The push service is not known, or its address is not public.')
    const other = await someUser()
    expect((await call(team().app, `DELETE /notifications/devices/${id}`, { token: other.token })).statusCode).toBe(404)
    await ok(user, `DELETE /notifications/devices/${id}`)
    expect((await ok<Channels>(user, 'GET /notifications')).devices).toHaveLength(1)
  })

  it('belongs to the last user who added it, and there is a limit', async () => {
    const [user, next] = [await someUser(), await someUser()]
    const subscription = push().subscribe()
    await addDevice(user, subscription)
    await addDevice(next, subscription)
    expect((await ok<Channels>(user, 'GET /notifications')).devices).toEqual([])
    for (let count = 1; count < PUSH_DEVICES_MAX; count += 1) await addDevice(await signIn(team(), next.email))
    const { token } = await signIn(team(), next.email)
    const refused = await call(team().app, 'POST /notifications/devices', { token, body: push().subscribe() })
    expect(refused.json()).toMatchObject({ code: 'TOO_MANY_DEVICES' })
  })

  it('that its browser adds again, with a new subscription, takes the place of the old one', async () => {
    const user = await someUser()
    const other = await addDevice(await signIn(team(), user.email))
    await addDevice(user)
    const { id } = await addDevice(user)
    const { devices } = await ok<Channels>(user, 'GET /notifications')
    expect(devices).toMatchObject([
      { id: other.id, current: false },
      { id, current: true },
    ])
  })

  it.each([
    ['endpoint', 'http://push.example.org/x'],
    ['endpoint', 'https://user@push.example.org/x'],
    ['p256dh', `B${'A'.repeat(86)}`],
    ['auth', 'short'],
  ])('with a wrong %s is refused', async (field, value) => {
    const user = await someUser()
    const body = { ...push().subscribe(), [field]: value }
    const refused = await call(team().app, 'POST /notifications/devices', { token: user.token, body })
    expect(refused.json()).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining(field) })
  })
})

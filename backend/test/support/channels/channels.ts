/** A server whose pushes and mails reach a push service and a mail server of the test. */
import { randomUUID } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Dialog, NotificationPreferences, PushDevice, PushMessage } from '@slipway/protocol'
import { type PushService, startPushService, type Subscription, until } from '@slipway/testing'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { readSmtpUrl } from '../../../src/modules/channels/mail/smtp-url.ts'
import { PUSH_EVERY_MS, SETTLE_MS } from '../../../src/modules/channels/bounds.ts'
import { MemoryEngine } from '../engine/memory-engine.ts'
import { addPerson, type Call, call, type Person, signIn } from '../people/people.ts'
import { newAgent, useTeam } from '../people/team.ts'
import { type Smtp, SMTP_USER, startSmtp } from './smtp.ts'

export const useChannels = () => {
  const lines: string[] = []
  let push: PushService
  let smtp: Smtp
  let trusted: string[] = []
  beforeAll(async () => {
    push = await startPushService()
    smtp = await startSmtp()
    trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, push.ca])
  })
  const team = useTeam({
    runtime: new MemoryEngine().runtime,
    logStream: { write: (line) => void lines.push(line) },
    config: {
      pushHosts: ['127.0.0.1'],
      // Its port is known when the server boots.
      get smtp() {
        const { user, pass } = SMTP_USER
        const server = readSmtpUrl(`smtp://${user}:${encodeURIComponent(pass)}@127.0.0.1:${smtp.port}`)
        return server && { ...server, from: 'slipway@example.org' }
      },
    },
  })
  afterEach(async () => {
    push.received.length = smtp.received.length = 0
    push.status = 201
    smtp.isBusy = false
    await team().database.prisma.dialog.deleteMany()
    await team().database.prisma.pushDevice.deleteMany()
  })
  afterAll(async () => {
    setDefaultCACertificates(trusted)
    await Promise.all([push.close(), smtp.close()])
  })

  const ok = async <T>({ token }: Person, what: Call, body?: object): Promise<T> => {
    const response = await call(team().app, what, { token, body })
    if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
    return (response.body === '' ? null : response.json()) as T
  }
  /** A new user with an agent, who wants these messages. */
  const someUser = async (wants: Partial<NotificationPreferences> = {}) => {
    const admin = await signIn(team(), team().admin.email)
    const person = await addPerson(team(), admin, `${randomUUID()}@example.org`)
    const agent = `a-${randomUUID().slice(0, 13)}`
    await ok(person, 'POST /agents?wait=true', newAgent(agent))
    await ok(person, 'PUT /users/me/preferences', { notifications: wants })
    return { ...person, agent }
  }
  type User = Awaited<ReturnType<typeof someUser>>
  const addDevice = (person: Person, subscription: Subscription = push.subscribe()): Promise<PushDevice> =>
    ok(person, 'POST /notifications/devices', subscription)
  /** A question that was asked just now. */
  const askNow = (user: User, title: string): Promise<Dialog> =>
    ok(user, 'POST /dialogs', { agent: user.agent, title, question: { kind: 'confirm' } })
  /** A question that is open for long enough to be told. */
  const ask = async (user: User, title: string): Promise<Dialog> => {
    const dialog = await askNow(user, title)
    team().clock.advance(SETTLE_MS)
    return dialog
  }
  const answer = (user: User, { id }: Dialog) => ok(user, `POST /dialogs/${id}/answer`, { value: true })
  const pushes = (): PushMessage[] => push.received.map(({ text }) => JSON.parse(text) as PushMessage)
  const titles = (): string[] => pushes().map(({ title, body }) => `${title}: ${body}`)
  /** Resolves when all of these are pushed. A question without any comes before it, if it comes at all. */
  const pushed = (count: number) => until(`${count} pushes`, () => push.received.length >= count)
  /** Whether the outbox has seen every question. */
  const planned = () =>
    until(
      'the outbox',
      async () => (await team().database.prisma.dialog.count({ where: { noticedAt: null, state: 'open' } })) === 0,
    )
  /** No attempt is under way. An attempt has the time of its end, so it must be over before the clock moves. */
  const attempted = () => {
    const attempt = { attempts: { gt: 0 }, nextAt: { not: null } }
    return until('the attempt', async () => (await team().database.prisma.notice.count({ where: attempt })) === 0)
  }
  /** The next push may go out. */
  const waitTurn = async (): Promise<void> => {
    await attempted()
    team().clock.advance(PUSH_EVERY_MS)
  }
  return {
    ...{ lines, team, ok, someUser, addDevice, ask, askNow, answer },
    ...{ pushes, titles, pushed, planned, attempted, waitTurn },
    push: () => push,
    smtp: () => smtp,
  }
}

/** Questions that programs ask people by the API. */
import { type AuditEvent, type Dialog, DIALOG_WAITS_PER_USER, DIALOGS_ASKED_PER_USER } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { listen } from '../../../test/support/server/listener.ts'
import type { Call, Person } from '../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const AGENT = 'asking'
const asked = (title: string, more: object = {}) => ({ agent: AGENT, title, question: { kind: 'confirm' }, ...more })
const say = async (person: Person, what: Call, body?: object) => (await as(team(), person)(what, body)).json<Dialog>()

beforeAll(async () => {
  const { owner, colleague } = team()
  await as(team(), owner)('POST /agents?wait=true', newAgent(AGENT))
  await as(team(), owner)(`POST /agents/${AGENT}/shares`, { email: colleague.email })
})

describe('a question that a program asks', () => {
  it('is told to those who may see the agent, and its answer comes to the request that waits', async () => {
    const { owner, colleague, stranger } = team()
    const [page, strangers] = await Promise.all([colleague, stranger].map(({ token }) => listen(team(), token)))
    const waiting = say(colleague, 'POST /dialogs?wait=true', asked('Deploy?', { message: 'To production' }))
    await page!.hears('the question', () => page!.of('dialog:opened').length > 0)
    const { dialog } = page!.of('dialog:opened')[0]!
    expect(dialog).toMatchObject({
      agent: AGENT,
      userId: colleague.id,
      state: 'open',
      expiresAt: null,
      sessionId: null,
    })
    // The owner of the agent may answer for a sharee.
    await say(owner, `POST /dialogs/${dialog.id}/answer`, { value: true })
    expect(await waiting).toMatchObject({
      id: dialog.id,
      state: 'answered',
      answer: { value: true },
      closedBy: owner.email,
    })
    await page!.hears('the answer', () => page!.of('dialog:answered').length > 0)
    expect(strangers!.of('dialog:opened')).toEqual([])
    for (const each of [page, strangers]) each!.socket.close()
  })

  it('is not answered by a sharee who did not ask it, and not seen by strangers', async () => {
    const { owner, colleague, stranger } = team()
    const { id } = await say(owner, 'POST /dialogs', asked('Mine?'))
    const answer = (person: Person) => as(team(), person)(`POST /dialogs/${id}/answer`, { value: true })
    expect((await answer(colleague)).statusCode).toBe(403)
    expect((await answer(stranger)).statusCode).toBe(404)
    expect(await say(stranger, 'GET /dialogs')).toEqual([])
    await say(owner, `DELETE /dialogs/${id}`)
  })

  it('closes without an answer when its time is over, which is no yes', async () => {
    const { owner, clock } = team()
    const { id, expiresAt } = await say(owner, 'POST /dialogs', asked('Soon?', { timeout_seconds: 60 }))
    expect(Date.parse(expiresAt!)).toBe(clock.now() + 60_000)
    clock.advance(60_000)
    const late = await as(team(), owner)(`POST /dialogs/${id}/answer`, { value: true })
    expect([late.statusCode, late.json<{ code: string }>().code]).toEqual([409, 'DIALOG_CLOSED'])
    const closed = await until(
      'the end of its time',
      async () => {
        const dialog = await say(owner, `GET /dialogs/${id}`)
        return dialog.state === 'open' ? false : dialog
      },
      20_000,
    )
    expect(closed).toMatchObject({ state: 'expired', answer: null, closedBy: null })
  })

  it('is withdrawn when its agent is deleted, and a request that waits for it ends', async () => {
    const { owner } = team()
    await as(team(), owner)('POST /agents?wait=true', newAgent('leaving'))
    const { id } = await say(owner, 'POST /dialogs', asked('Still?', { agent: 'leaving' }))
    const waiting = say(owner, `GET /dialogs/${id}?wait=true`)
    await as(team(), owner)('DELETE /agents/leaving?wait=true')
    // It may end before the question does.
    expect(await waiting).toMatchObject({ id, agent: null, answer: null })
    const left = await until('the end of the question', async () => {
      const dialog = await say(owner, `GET /dialogs/${id}`)
      return dialog.state !== 'open' && dialog
    })
    expect(left).toMatchObject({ state: 'withdrawn', agent: null, answer: null })
  })

  it('is refused beyond the bound of its user, until one of them is cancelled', async () => {
    const { colleague } = team()
    const ids: string[] = []
    for (let count = 0; count < DIALOGS_ASKED_PER_USER; count += 1)
      ids.push((await say(colleague, 'POST /dialogs', asked(`Question ${count}`))).id)
    const more = await as(team(), colleague)('POST /dialogs', asked('One more'))
    expect([more.statusCode, more.json<{ code: string }>().code]).toEqual([409, 'TOO_MANY_DIALOGS'])
    for (const id of ids) await say(colleague, `DELETE /dialogs/${id}`)
    const { id } = await say(colleague, 'POST /dialogs', asked('Again'))
    await say(colleague, `DELETE /dialogs/${id}`)
  })

  it('is not asked if its request cannot wait for the answer', async () => {
    const { colleague } = team()
    const ask = (title: string, more?: object) => as(team(), colleague)('POST /dialogs?wait=true', asked(title, more))
    const open = async () => (await say(colleague, 'GET /dialogs?state=open')) as unknown as Dialog[]
    // A request that asks nothing keeps no place.
    for (let count = 0; count < DIALOG_WAITS_PER_USER; count += 1)
      expect((await ask('Where?', { agent: 'nowhere' })).statusCode).toBe(404)
    const waiting = Array.from({ length: DIALOG_WAITS_PER_USER }, (_, at) => ask(`Waiting ${at}`))
    const all = await until('the questions', async () => {
      const dialogs = await open()
      return dialogs.length === DIALOG_WAITS_PER_USER && dialogs
    })
    const refused = await ask('One more')
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'TOO_MANY_REQUESTS'])
    expect(await open()).toHaveLength(DIALOG_WAITS_PER_USER)
    for (const { id } of all) await say(colleague, `DELETE /dialogs/${id}`)
    expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual(all.map(() => 201))
    const again = ask('Again')
    const [dialog] = await until('the question', async () => {
      const dialogs = await open()
      return dialogs.length === 1 && dialogs
    })
    await say(colleague, `DELETE /dialogs/${dialog!.id}`)
    expect((await again).json<Dialog>().state).toBe('cancelled')
  })

  it.each<[what: string, body: object]>([
    ['an approval, which only a CLI asks for', { question: { kind: 'approval', tool: 'Bash' } }],
    ['a choice without options', { question: { kind: 'select', options: [], multiple: false } }],
    ['a title that is too long', { title: 'x'.repeat(201) }],
    ['a time of more than a week', { timeout_seconds: 604_801 }],
    ['a field that does not exist', { question: { kind: 'confirm', other: 1 } }],
  ])('is refused with %s', async (_what, more) => {
    const answer = await as(team(), team().owner)('POST /dialogs', asked('Bad?', more))
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([400, 'VALIDATION'])
  })

  it('has one winner of a hundred answers at the same time', async () => {
    const { owner, admin } = team()
    const { id } = await say(owner, 'POST /dialogs', asked('Who is first?'))
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        as(team(), at % 2 === 0 ? owner : admin)(`POST /dialogs/${id}/answer`, { value: at % 2 === 0 }),
      ),
    )
    const won = answers.filter(({ statusCode }) => statusCode === 200)
    expect(won).toHaveLength(1)
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 409]))
    const log = (await as(team(), admin)('GET /audit?action=dialog.answered&limit=100')).json<{ items: AuditEvent[] }>()
    expect(log.items.filter(({ detail }) => (detail as { dialogId?: string }).dialogId === id)).toHaveLength(1)
  })
})

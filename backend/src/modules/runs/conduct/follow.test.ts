import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlatformEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { aCaller } from '../../../../test/support/people/callers.ts'
import { Followers } from '../../access/followers.ts'
import type { Loss } from '../../access/loss.ts'
import type { Caller } from '../../identity/caller.ts'
import { followEvents, LiveRun } from './follow.ts'
import type { RunKeyboard } from '../interactive/keyboard.ts'
import type { RunRow } from '../repository.ts'
import { FOLLOWED_PER_USER, runCorrespondent } from '../stream/subscriptions.ts'
import type { Entry } from '../transcript/entry.ts'
import { TranscriptWriter } from '../transcript/file.ts'

const user = aCaller()
const token = aCaller({ via: { kind: 'api_token', tokenId: randomUUID(), scopes: ['tasks:read'] } })

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-follow-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** A run in line, and a way to store what its processes print. */
const inLine = async () => {
  const live = new LiveRun(randomUUID())
  live.generation = 1
  const writer = await TranscriptWriter.begin(folder, live.id, { generation: 1, after: null })
  let seq = 0
  const prints = async (text: string): Promise<void> => {
    seq += 1
    const events: Entry['events'] = [{ seq, at: '2026-11-26T12:00:00.000Z', type: 'text', text }]
    const offsets = { stdout: seq, stderr: 0 }
    await writer.append([{ at: 1000, raw: text, isCut: false, from: 'stdout', offsets, events }])
    live.stored([{ at: 1000, raw: text, isCut: false, from: 'stdout', offsets, events }])
  }
  const ends = async (): Promise<void> => {
    await writer.close()
    live.over()
  }
  return { live, prints, ends }
}

it('a token that follows a run in line gets nothing of its process with a personal credential', async () => {
  const { live, prints, ends } = await inLine()
  const read = async (caller: Caller, into: string[]): Promise<void> => {
    const left = new AbortController().signal
    for await (const event of followEvents(folder, live.id, { caller, live, after: 0, left }))
      if (event.type === 'text') into.push(event.text)
  }
  const got = { token: [] as string[], user: [] as string[] }
  const ofToken = read(token, got.token)
  const ofUser = read(user, got.user)
  await prints('of the agent')
  await until('both to have the first event', () => got.token.length + got.user.length === 2)
  live.becomePersonal()
  await ofToken
  await prints('of the user')
  await until('the user to have the second event', () => got.user.length === 2)
  await ends()
  await ofUser
  expect(got).toEqual({ token: ['of the agent'], user: ['of the agent', 'of the user'] })
})

it('a token that reads stored events stops where the run becomes personal', async () => {
  const { live, prints, ends } = await inLine()
  await prints('first')
  await prints('second')
  const events = followEvents(folder, live.id, { caller: token, live, after: 0, left: new AbortController().signal })
  expect((await events.next()).value).toMatchObject({ text: 'first' })
  live.becomePersonal()
  expect(await events.next()).toEqual({ done: true, value: undefined })
  await ends()
})

it.each([{ after: 0 }, {}])(
  'a subscription of a token ends with a reason when the run becomes personal: %o',
  async (more) => {
    const { live, prints, ends } = await inLine()
    const found = () => Promise.resolve({ run: { state: 'queued' } as RunRow, live, found: null })
    const correspondent = runCorrespondent({
      runs: { require: found, requireEvents: found },
      keyboard: {} as RunKeyboard,
      followers: new Followers(new Signal<Loss>(), { perUser: FOLLOWED_PER_USER, what: 'tasks' }),
      folder,
      log: silentLog,
    })
    const subscribe = (caller: Caller): PlatformEvent[] => {
      const got: PlatformEvent[] = []
      const send = (event: PlatformEvent): void => void got.push(event)
      const page = correspondent.open({ caller, send, deliver: (event) => Promise.resolve(send(event)) })
      page.receive({ type: 'coding-agent:subscribe', sessionId: live.id, ...more })
      return got
    }
    const [ofToken, ofUser] = [subscribe(token), subscribe(user)]
    await until('both to be subscribed', () => ofToken.length >= 2 && ofUser.length >= 2)
    live.becomePersonal()
    await prints('of the user')
    await until('the user to have the output', () => JSON.stringify(ofUser).includes('of the user'))
    await until('the refusal', () => ofToken.some(({ type }) => type === 'coding-agent:session:error'))
    expect(JSON.stringify(ofToken)).not.toContain('of the user')
    expect(ofToken.at(-1)).toMatchObject({ error: expect.stringContaining('API tokens may not read it') as string })
    await ends()
    expect(ofUser.filter(({ type }) => type === 'coding-agent:session:error')).toEqual([])
  },
)

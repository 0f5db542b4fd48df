import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LiveSession, type Recording } from '@slipway/protocol'
import { disconnectAll, type TerminalClient, until } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Check } from 'typebox/value'
import { DAY_MS } from '../../../lib/time/clock.ts'
import { auditOf } from '../../../../test/support/audit.ts'
import { events, readVersion2, told } from '../../../../test/support/terminals/casts.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { listen } from '../../../../test/support/server/listener.ts'
import { type Person, signIn } from '../../../../test/support/people/people.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../../../../test/support/people/team.ts'
import { openBash, openTerminal } from '../../../../test/support/terminals/terminal.ts'

const AGENT = 'filmed'
const SECRET = 'sk-ant-canary-0123456789abcdef'

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE], recordingsDays: 30 } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const by = (person: Person) => as(team(), person)
afterEach(disconnectAll)

beforeAll(async () => {
  await systemAgentSettled(team())
  await owner('POST /agents?wait=true', newAgent(AGENT, { record: true }))
  await owner(`PUT /agents/${AGENT}/credentials/anthropic-api-key`, { value: SECRET })
  await owner(`POST /agents/${AGENT}/shares`, { email: team().colleague.email })
})

const listed = async (person: Person): Promise<Recording[]> =>
  (await by(person)(`GET /agents/${AGENT}/recordings`)).json<{ items: Recording[] }>().items
const castOf = async (id: string, person = team().owner): Promise<string> =>
  (await by(person)(`GET /recordings/${id}/cast`)).body
const ended = (id: string): Promise<Recording> =>
  until('the recording to end', async () => {
    const recording = (await owner(`GET /recordings/${id}`)).json<Recording>()
    return recording.state === 'recording' ? null : recording
  })

/** Runs `command` in a session, and resolves to its recording after the end. */
const recorded = async (command: string, person = team().owner): Promise<Recording> => {
  const terminal = await openBash(team(), AGENT, person.token)
  await terminal.run(command)
  await terminal.disconnect()
  return ended(terminal.sessionId)
}

describe('a secret variable', () => {
  it('is masked in recordings, as a terminal prints it, and from the moment in which it is set', async () => {
    const put = (name: string, value: string) =>
      owner(`PUT /agents/${AGENT}/variables/${name}`, { value, secret: true })
    await put('TWO_LINES', 'canary-line-one\ncanary-line-two\n')
    const terminal = await openBash(team(), AGENT, team().owner.token)
    await put('LATER', 'canary-set-later')
    await terminal.run('printenv TWO_LINES; echo "<can""ary-set-later>"')
    await terminal.disconnect()
    const { id } = await ended(terminal.sessionId)
    expect(terminal.text).toContain('canary-line-two')
    const cast = await castOf(id)
    expect(told(cast, 'o')).toContain('<***>')
    expect(cast).not.toMatch(/canary-(line|set)/)
    for (const name of ['TWO_LINES', 'LATER']) await owner(`DELETE /agents/${AGENT}/variables/${name}`)
  })
})

describe('a recorded session', () => {
  it('can be looked at while it goes on and when it is over, from its first byte to its end', async () => {
    const terminal = await openBash(team(), AGENT, team().owner.token)
    const { sessionId: id } = terminal
    await terminal.run('echo see-$((40+2))')
    const soFar = await until('what was printed', async () => {
      const cast = await castOf(id)
      return told(cast, 'o').includes('see-42') ? cast : null
    })
    expect(JSON.parse(soFar.split('\n')[0]!)).toMatchObject({ version: 3, title: `Bash of ${AGENT}` })
    expect((await listed(team().owner)).find((one) => one.id === id)).toMatchObject({
      state: 'recording',
      mode: 'bash',
      expiresAt: null,
    })
    expect((await owner(`DELETE /recordings/${id}`)).statusCode).toBe(409)

    terminal.type('exit 3\r')
    await terminal.closed
    const recording = await ended(id)
    expect(recording).toMatchObject({ state: 'complete', user: { email: team().owner.email }, input: false })
    expect(Date.parse(recording.expiresAt!)).toBe(Date.parse(recording.endedAt!) + 30 * DAY_MS)
    const cast = await castOf(id)
    expect(cast.startsWith(soFar.slice(0, soFar.lastIndexOf('#@')))).toBe(true)
    expect(recording.bytes).toBe(Buffer.byteLength(cast))
    expect(events(cast).filter(([, code]) => code !== 'o')).toMatchObject([
      [expect.any(Number), 'm', 'Bash was started'],
      [expect.any(Number), 'm', expect.any(String)],
      [expect.any(Number), 'm', 'Bash ended (exit code 3).'],
      [expect.any(Number), 'x', '3'],
    ])
    const total = events(cast).reduce((sum, [since]) => sum + Math.round(since * 1000), 0)
    expect(recording.durationMs).toBe(total)
    expect(statSync(join(team().dataDir, 'recordings')).mode & 0o777).toBe(0o700)
  })

  it('does not show the secrets that it was given', async () => {
    const { id } = await recorded(`echo "<$ANTHROPIC_API_KEY>" ${SECRET}`)
    const cast = await castOf(id)
    expect(cast).not.toContain('canary')
    expect(told(cast, 'o')).toContain('***')
  })

  it('does not show a secret that was set while it went on, nor the one before', async () => {
    const terminal = await openBash(team(), AGENT, team().owner.token)
    const own = 'ghp_canary_set_meanwhile_0123'
    await owner(`PUT /agents/${AGENT}/credentials/anthropic-api-key`, { value: `${SECRET}-anew` })
    expect((await owner('PUT /users/me/credentials/github-token', { value: own })).statusCode).toBe(200)
    await terminal.run(`echo ${SECRET} ${SECRET}-anew ${own}; echo shown`)
    await terminal.disconnect()
    await ended(terminal.sessionId)
    const shown = told(await castOf(terminal.sessionId), 'o')
    expect(shown).toContain('shown')
    expect(shown).not.toMatch(/canary|anew/)
    await owner(`PUT /agents/${AGENT}/credentials/anthropic-api-key`, { value: SECRET })
    await owner('DELETE /users/me/credentials/github-token')
  })

  it('holds no key, unless the agent is set so', async () => {
    const plain = await recorded('read -rs word <<< typed-$((1+1))')
    expect(told(await castOf(plain.id), 'i')).toBe('')
    await owner(`PATCH /agents/${AGENT}`, { recordInput: true })
    const both = await recorded('true')
    await owner(`PATCH /agents/${AGENT}`, { recordInput: false })
    expect(both.input).toBe(true)
    expect(told(await castOf(both.id), 'i')).toContain('true; echo ')
  })

  it('is known as such to every user of the agent', async () => {
    const page = await listen(team(), team().colleague.token)
    const terminal = await openBash(team(), AGENT, team().owner.token)
    const isTold = (recordedAs: string) =>
      until(`it to be ${recordedAs}`, () =>
        page.events.some(
          (event) =>
            event.type === 'sessions' &&
            event.sessions.some((one) => Check(LiveSession, one) && one.recorded === recordedAs),
        ),
      )
    await isTold('output')
    await owner(`PATCH /agents/${AGENT}`, { record: false })
    await isTold('nothing')
    await terminal.run('echo not for the record')
    const recording = await ended(terminal.sessionId)
    await terminal.disconnect()
    await owner(`PATCH /agents/${AGENT}`, { record: true })
    page.socket.close()
    const cast = await castOf(recording.id)
    expect(events(cast).at(-1)?.[2]).toBe('The recording was switched off')
    expect(cast).not.toContain('not for the record')
  })
})

describe('a user who types into a recorded session', () => {
  const link = async ({ sessionId }: TerminalClient): Promise<string> => {
    const body = { access: 'control', audience: 'anyone' }
    return (await owner(`POST /terminal-sessions/${sessionId}/links`, body)).json<{ secret: string }>().secret
  }

  it('is told so, also as a guest, and told when keys, or anything, are no longer recorded', async () => {
    await owner(`PATCH /agents/${AGENT}`, { recordInput: true })
    const mine = await openBash(team(), AGENT, team().owner.token)
    const guest = await openTerminal(team(), '/watch', { link: await link(mine) })
    const isTold = (parts: string[]) =>
      until(`both to know of ${parts.at(-1)}`, () =>
        [mine, guest].every(({ frames }) => {
          const told = frames.flatMap((frame) => ('recorded' in frame ? (frame.recorded ?? []) : []))
          return JSON.stringify(told) === JSON.stringify(parts)
        }),
      )
    await isTold(['output_and_input'])
    expect(mine.frames[0]).toMatchObject({ type: 'auth_success', recorded: 'output_and_input' })
    await owner(`PATCH /agents/${AGENT}`, { recordInput: false })
    await isTold(['output_and_input', 'output'])
    await owner(`PATCH /agents/${AGENT}`, { record: false })
    await isTold(['output_and_input', 'output', 'nothing'])
    await owner(`PATCH /agents/${AGENT}`, { record: true })
    // It applies from the next session on.
    const late = await openTerminal(team(), '/watch', { link: await link(mine) })
    await until('the late one', () => late.frames.length > 0)
    expect(late.frames[0]).toMatchObject({ recorded: 'nothing' })
  })
})

describe('a recording', () => {
  it("is for the agent's owner and admins, for the user who had the terminal, and for the others when it is shared", async () => {
    const { admin, colleague, stranger } = team()
    const { id } = await recorded('true')
    const theirs = await recorded('true', colleague)
    const seenBy = async (person: Person) => (await by(person)(`GET /recordings/${id}/cast`)).statusCode
    expect((await listed(colleague)).map((one) => one.id)).toContain(theirs.id)
    expect((await listed(colleague)).map((one) => one.id)).not.toContain(id)
    expect((await listed(admin)).map((one) => one.id)).toEqual(expect.arrayContaining([id, theirs.id]))
    expect([await seenBy(admin), await seenBy(colleague), await seenBy(stranger)]).toEqual([200, 404, 404])

    expect((await by(colleague)(`PATCH /recordings/${theirs.id}`, { shared: true })).statusCode).toBe(403)
    expect((await owner(`PATCH /recordings/${id}`, { shared: true })).json()).toMatchObject({ shared: true })
    expect([await seenBy(colleague), await seenBy(stranger)]).toEqual([200, 404])
    await owner(`PATCH /recordings/${id}`, { shared: false })
    expect(await seenBy(colleague)).toBe(404)
  })

  it('is sent as a file that no browser displays', async () => {
    const { id } = await recorded('true')
    const { headers, body } = await owner(`GET /recordings/${id}/cast?download=true`)
    expect(headers).toMatchObject({
      'content-type': 'application/x-asciicast',
      'x-content-type-options': 'nosniff',
      'content-length': String(Buffer.byteLength(body)),
      'content-disposition': expect.stringMatching(/^attachment; filename="slipway-filmed-[\dT-]+\.cast"$/),
    })
  })

  it('can be had as an asciicast of version 2, with the same events at the same moments', async () => {
    const { id } = await recorded('printf "\\001\\303\\244\\n"; sleep 0.05; echo "quoted"')
    const { headers, body } = await owner(`GET /recordings/${id}/cast?format=v2&download=true`)
    expect(headers).toMatchObject({ 'content-type': 'application/x-asciicast' })
    const [header, ...read] = readVersion2(body)
    const [original = ''] = (await castOf(id)).split('\n')
    const { term, timestamp, title } = JSON.parse(original) as Record<string, { cols: number; rows: number }>
    const env = { TERM: 'xterm-256color' }
    expect(header).toEqual({ version: 2, width: term!.cols, height: term!.rows, timestamp, title, env })
    let atMs = 0
    const expected = events(await castOf(id)).map(([since, ...rest]) => [
      (atMs += Math.round(since * 1000)) / 1000,
      ...rest,
    ])
    expect(read).toEqual(expected.filter(([, code]) => code !== 'x'))
    expect(read.length).toBeGreaterThan(2)
    expect((await owner(`GET /recordings/${id}/cast?format=v1`)).statusCode).toBe(400)
  })

  it('is deleted with its file, and every look at it is in the audit log', async () => {
    const { id } = await recorded('true')
    await castOf(id)
    await owner(`GET /recordings/${id}/cast?download=true`)
    await owner(`PATCH /recordings/${id}`, { shared: true })
    expect((await owner(`DELETE /recordings/${id}`)).statusCode).toBe(204)
    expect((await owner(`GET /recordings/${id}`)).statusCode).toBe(404)
    expect(existsSync(join(team().dataDir, 'recordings', `${id}.cast`))).toBe(false)
    const log = (await auditOf(team(), team().admin)).filter(({ detail }) => detail['recordingId'] === id)
    expect(log.map(({ action }) => action).toReversed()).toEqual([
      'recording.viewed',
      'recording.downloaded',
      'recording.shared',
      'recording.deleted',
    ])
    expect(log[0]).toMatchObject({ actor: { email: team().owner.email }, detail: { because: 'asked_for' } })
  })

  it('goes with its agent', async () => {
    await owner('POST /agents?wait=true', newAgent('passing', { record: true }))
    const terminal = await openBash(team(), 'passing', team().owner.token)
    await terminal.run('true')
    terminal.close()
    await ended(terminal.sessionId)
    await owner('DELETE /agents/passing')
    const files = () => readdirSync(join(team().dataDir, 'recordings'))
    await until('its file to be gone', () => !files().includes(`${terminal.sessionId}.cast`))
  })

  it('is deleted after its days', async () => {
    const { id } = await recorded('true')
    team().clock.advance(31 * DAY_MS)
    const later = await signIn(team(), team().owner.email)
    const terminal = await openBash(team(), AGENT, later.token)
    // The end of another recording triggers a sweep.
    terminal.close()
    await until('it to be gone', async () => (await by(later)(`GET /recordings/${id}`)).statusCode === 404)
    await until('its file to be gone', () => !existsSync(join(team().dataDir, 'recordings', `${id}.cast`)))
  })
})

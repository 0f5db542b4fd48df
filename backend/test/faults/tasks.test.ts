/** Tasks whose server is killed at each step, or is stopped and replaced, and whose database or disk fails. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDataDir, until } from '@slipway/testing'
import pg from 'pg'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPostgres, Postgres, queryOnce } from '@slipway/testing/postgres'
import { type Step, Steps } from '../support/database/steps.ts'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { recordedEnds, TaskUser } from '../support/runs/shell-tasks.ts'
import { ServerProcess } from '../support/server/server-process.ts'
import { newAgent } from '../support/people/team.ts'

const AGENT = 'worker'
const { namespace, runtime } = useEngine()
const postgres = new Postgres()
const folder = newDataDir()
/** A disk of their own for the transcripts. Only root can mount it. */
const transcripts = join(folder, 'transcripts')
const canMount = process.getuid?.() === 0
/** The size of that disk if it has room enough. It uses no memory until it is written to. */
const ROOM = '2g'
let server: ServerProcess
let containerId = ''
let users: TaskUser[] = []

const start = async (): Promise<void> => {
  server = await ServerProcess.start({
    SLIPWAY_NAMESPACE: namespace,
    SLIPWAY_IMAGES: IMAGE,
    SLIPWAY_DATA_DIR: folder,
    SLIPWAY_DATABASE_URL: postgres.url,
    SLIPWAY_LOG_LEVEL: 'error',
  })
}
beforeAll(async () => {
  if (!hasPostgres) return
  mkdirSync(transcripts, { mode: 0o700 })
  if (canMount) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM},mode=700`, 'slipway-test', transcripts])
  await postgres.start()
  await start()
  const { body } = await server.call('POST', '/agents?wait=true', newAgent(AGENT))
  containerId = (await runtime.list()).find(({ agentId }) => agentId === body.id)?.id ?? ''
  users = await Promise.all(['ann', 'ben', 'cleo'].map((name) => TaskUser.of(() => server, AGENT, name)))
})
afterAll(async () => {
  if (!hasPostgres) return
  await server.kill()
  await postgres.remove()
  if (canMount) execFileSync('umount', [transcripts])
  rmSync(folder, { recursive: true, force: true })
})

const sh = async (script: string): Promise<string> => {
  const argv = ['sh', '-c', script]
  return (await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 1000 })).stdout.toString()
}
/** Waits for a file, which {@link sh} makes. */
const gate = (name: string): string => `until [ -e /tmp/${name} ]; do sleep 0.05; done`
const query = async <T extends pg.QueryResultRow>(statement: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  return client.query<T>(statement).then(
    ({ rows }) => client.end().then(() => rows),
    (error: unknown) => client.end().then(() => Promise.reject(error as Error)),
  )
}
/** What of tasks is not over, in the database and in the container. */
const left = async (): Promise<unknown[]> => [
  ...(await query(`SELECT state, prompt FROM "CodingRun" WHERE "endedAt" IS NULL`)),
  ...(await query(`SELECT id FROM "TerminalSession" WHERE "endedAt" IS NULL`)),
  ...(await runtime.processes(containerId)).flatMap(({ command }) =>
    command.startsWith('/bin/sh -c #') ? [command] : [],
  ),
]
const nothingIsLeft = () => expect.poll(left).toEqual([])

describe.skipIf(!hasPostgres)('a server that is killed', () => {
  /** A task that says when it ran, and prints three lines. */
  const script = (step: string, name: string): string =>
    `# ${step}\necho ${name} >>/tmp/ran; echo 1; printf 2; echo begun >&2; ${gate(`go-${name}`)}; echo ' and more'; echo 3`
  const LINES = ['1', '2 and more', '3']
  const [ann, ben, cleo] = [0, 1, 2].map((index) => () => users[index]!) as [
    () => TaskUser,
    () => TaskUser,
    () => TaskUser,
  ]
  const body = (step: Step | 'line', name: string, more: object = {}) => ({
    agent: AGENT,
    prompt: script(step, name),
    ...more,
  })

  it('at each step of a task leaves it to the next one, which ends it once', async () => {
    await sh('touch /tmp/go-end /tmp/go-over')
    const steps = await Steps.hold(postgres.url)
    const answered = [
      { user: ben(), key: 'end', body: body('end', 'end') },
      { user: ben(), key: 'line', body: body('line', 'line') },
      { user: ben(), key: 'other', body: body('line', 'other') },
      { user: cleo(), key: 'over', body: body('session-end', 'over') },
    ]
    const cut = [
      { user: ann(), key: 'unknown', body: body('row', 'unknown') },
      { user: ann(), key: 'unstarted', body: body('session', 'unstarted') },
      { user: ann(), key: 'started', body: body('running', 'started') },
      { user: cleo(), key: 'queued', body: body('session', 'queued', { queue: true }) },
    ]
    const requests = [...answered, ...cut]
    const send = (which = requests) =>
      Promise.all(which.map(({ user, body: task, key }) => user.post(task, key).catch(() => null)))
    const first = await send(answered)
    expect(first.map((answer) => answer?.status)).toEqual([201, 201, 201, 201])
    await until('both ends to be written', async () => (await steps.held()) === 2)
    const inLine = await ben().start(body('line', 'later', { queue: true }))
    expect(inLine.state).toBe('queued')
    await ben().printed(first[1]!.body.id, 2)
    const lost = send(cut)
    await until('the tasks to be at their steps', async () => (await steps.held()) === 6)
    await server.kill()
    expect(await lost).toEqual([null, null, null, null])
    await steps.undo()
    await start()
    await sh('cd /tmp; touch go-unknown go-unstarted go-started go-line go-other go-queued go-later')

    // The requests are sent again. A task that is known is not started again.
    const again = await until('all answers', async () => {
      const all = await send()
      return all.every((answer) => answer?.status === 201) && all.map((answer) => answer!.body)
    })
    const ends = await Promise.all(again.map(({ id }, index) => requests[index]!.user.ended(id)))
    const DONE = { state: 'completed', reason: 'completed', exitCode: 0, error: null }
    expect(ends).toMatchObject([DONE, DONE, DONE, DONE, DONE, { state: 'failed', reason: 'lost' }, DONE, DONE])
    expect(await ben().ended(inLine.id)).toMatchObject(DONE)
    for (const [index, { id, reason }] of ends.entries())
      expect(await requests[index]!.user.texts(id)).toEqual(reason === 'lost' ? [] : LINES)
    expect((await sh('sort /tmp/ran')).trim().split('\n')).toEqual(
      ['unknown', 'started', 'end', 'over', 'line', 'other', 'queued', 'later'].toSorted(),
    )
    expect(again.slice(0, answered.length).map(({ id }) => id)).toEqual(first.map((answer) => answer!.body.id))
    await nothingIsLeft()
    // A task that went back into the line has another session than its first.
    const sessions = await query<{ id: string; sessionId: string }>('SELECT "id", "sessionId" FROM "CodingRun"')
    const sessionOf = new Map(sessions.map((row) => [row.id, row.sessionId]))
    for (const { id, reason } of ends)
      expect(await recordedEnds(server, sessionOf.get(id) ?? '')).toEqual(reason === 'lost' ? [] : ['completed'])
  })

  // The test before has a server that is killed, and `runs/lease/leases.test.ts` which server has a run.
  longIt('that was only stopped, and replaced, ends when it wakes up, and changes nothing', async () => {
    const { id } = await ann().start({ agent: AGENT, prompt: `# stopped\necho 1; ${gate('awake')}; echo 2; echo 3` })
    await ann().printed(id, 1)
    const stopped = server
    stopped.freeze()
    // It reads this request when it wakes up.
    const late = ann()
      .call('DELETE', `/coding-agents/sessions/${id}`)
      .then(({ status }) => status)
      .catch(() => null)
    // As if the network between it and the database had been cut.
    await queryOnce(
      postgres.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
    )
    await start()
    const generation = async () =>
      (await query<{ generation: number }>(`SELECT generation FROM "CodingRun" WHERE id = '${id}'`))[0]?.generation
    await until('the task to be taken over', async () => (await generation()) === 2)
    await ann().printed(id, 1)
    expect(await stopped.end('SIGCONT')).toBe(1)
    await late
    expect(await generation()).toBe(2)
    expect(await ann().task(id)).toMatchObject({ state: 'running', lastSeq: 1 })
    await sh('touch /tmp/awake')
    expect(await ann().ended(id)).toMatchObject({ reason: 'completed', exitCode: 0 })
    expect(await ann().texts(id)).toEqual(['1', '2', '3'])
    await nothingIsLeft()
    expect(await recordedEnds(server, id)).toEqual(['completed'])
  })
})

describe.skipIf(!hasPostgres)('a request with a key', () => {
  it('starts one task, also if it is sent twice at once', async () => {
    const send = () => users[2]!.post({ agent: AGENT, prompt: '# twice\necho twice >>/tmp/ran' }, 'twice')
    const [one, other] = await Promise.all([send(), send()])
    expect([one.status, other.status].toSorted()).toEqual([201, expect.toBeOneOf([201, 409])])
    const id = (one.status === 201 ? one : other).body.id
    await users[2]!.ended(id)
    expect((await send()).body.id).toBe(id)
    expect(await sh('grep -c twice /tmp/ran')).toBe('1\n')
  })
})

describe.skipIf(!hasPostgres)('a database that goes away', () => {
  it('during a task, and when it ends, loses nothing of it', async () => {
    const [ann] = users as [TaskUser]
    const task = (name: string) =>
      ann.start({ agent: AGENT, prompt: `# away\necho 1; ${gate(name)}; echo 2; : ${name}` })
    const [ending, going] = await Promise.all([task('ends'), task('goes-on')])
    await Promise.all([ending, going].map(({ id }) => ann.printed(id, 1)))
    await postgres.kill()
    await sh('touch /tmp/ends')
    const told = (): boolean => server.said.includes('the end of a run could not be stored')
    await until('the end to be refused', told)
    expect(await ann.call('GET', `/coding-agents/sessions/${ending.id}`)).toMatchObject({
      status: 503,
      body: { code: 'DATABASE_UNAVAILABLE' },
    })
    expect((await ann.post({ agent: AGENT, prompt: '# away\necho never >>/tmp/ran' })).status).toBe(503)
    await postgres.start()
    expect(await ann.ended(ending.id)).toMatchObject({ reason: 'completed', lastSeq: 2 })
    expect(await ann.task(going.id)).toMatchObject({ state: 'running', lastSeq: 1 })
    await sh('touch /tmp/goes-on')
    expect(await ann.ended(going.id)).toMatchObject({ reason: 'completed' })
    for (const { id } of [ending, going]) {
      expect(await ann.texts(id)).toEqual(['1', '2'])
      await expect.poll(() => recordedEnds(server, id)).toEqual(['completed'])
    }
    expect(await sh('grep never /tmp/ran; true')).toBe('')
    await nothingIsLeft()
  })
})

// In the short form `database.test.ts` has a full disk, and `held/holder-pipes.test.ts` a program that waits.
if (isLongForm)
  describe.skipIf(!hasPostgres || !canMount)('a disk without room for transcripts', () => {
    /** Lines of a kilobyte: more than the disk, the server and the container hold together. */
    const LINES = 26_000
    const resize = (size: string): void => void execFileSync('mount', ['-o', `remount,size=${size}`, transcripts])

    it('makes CLIs wait, and loses nothing of what they print', async () => {
      const [ann, ben] = users as [TaskUser, TaskUser]
      const small = await ann.start({ agent: AGENT, prompt: `# small\necho 1; ${gate('small')}; echo 2; : small` })
      await ann.printed(small.id, 1)
      const print = `seq -f '%.0f ${'x'.repeat(1_000)}' 1 ${LINES}; touch /tmp/printed`
      const large = await ann.start({ agent: AGENT, prompt: `# large\n${gate('large')}; ${print}` })
      resize('1m')
      const { bavail, bsize } = statfsSync(transcripts)
      writeFileSync(join(transcripts, 'filler'), Buffer.alloc(bavail * bsize))
      await sh('touch /tmp/large')
      await until('the disk to be full', () => server.said.includes('a transcript cannot be written'))
      await sh('touch /tmp/small')
      const refused = await ben.post({ agent: AGENT, prompt: '# refused\necho never' })
      expect([refused.status, refused.body.code]).toEqual([507, 'DISK_FULL'])
      expect((await ben.tasks()).filter(({ prompt }) => prompt.startsWith('# refused'))).toEqual([])
      expect(await sh('ls /tmp')).not.toContain('printed')
      expect(await ann.task(large.id)).toMatchObject({ state: 'running', reason: null })
      resize(ROOM)
      rmSync(join(transcripts, 'filler'))
      const DONE = { state: 'completed', reason: 'completed', exitCode: 0 }
      expect(await ann.ended(small.id)).toMatchObject(DONE)
      expect(await ann.ended(large.id)).toMatchObject({ ...DONE, lastSeq: LINES })
      expect(await ann.texts(small.id)).toEqual(['1', '2'])
      const numbers = (await ann.texts(large.id)).map((text) => Number.parseInt(text, 10))
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
      await nothingIsLeft()
    })
  })

// A repository, a program or a colleague can put anything into a home. Transfers must not leave the home.
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { engineTime, until } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { codeOf, useTransfers } from '../../../test/support/engine/transfers.ts'

const { docker, runtime, team, owner, port, containerId, sh, get, put, uploadHead, drafts } = useTransfers()

/**
 * How often a file is read at least whose link changes all the time. A look that is answered saw the file inside twice, which
 * are two of five.
 */
const ROUNDS = isLongForm ? 60 : 15

describe('what leads out of the home', () => {
  it.each([
    ['/etc/shadow', 'ln -sfn /etc/shadow out', 'out'],
    ["the server's view of processes", 'ln -sfn /proc/1/environ out', 'out'],
    ['a file beside the home', 'echo x > /tmp/beside; ln -sfn /tmp/beside out', 'out'],
    ['a folder on the way', 'ln -sfn /etc out', 'out/passwd'],
    ['a folder', 'ln -sfn / out', 'out'],
    ['a link to a link', 'ln -sfn /etc via; ln -sfn via out', 'out/hostname'],
    ['the working directory of a process', 'ln -sfn /proc/self/cwd/../../etc out', 'out/passwd'],
  ])('by a link to %s is refused for reading', async (_what, script, path) => {
    await sh(script)
    const response = await get(path)
    expect([response.status, await codeOf(response)]).toEqual([400, 'OUTSIDE_HOME'])
  })

  it('by a link is refused for writing', async () => {
    await sh('ln -sfn /tmp out; rm -f /tmp/written')
    expect(await codeOf(await put('out/written', 'x'))).toBe('OUTSIDE_HOME')
    expect(await sh('ls /tmp/written 2>&1')).toContain('No such file')
  })

  it.each(['../../etc/shadow', '/etc/shadow', 'a/../../x', '/home/developer/../../etc/shadow'])(
    'by %s is refused before anything is executed',
    async (path) => {
      expect(await codeOf(await get(path))).toBe('OUTSIDE_HOME')
      expect(await codeOf(await put(path, 'x'))).toBe('OUTSIDE_HOME')
    },
  )

  it('is never given out while links are exchanged under the look', async () => {
    await sh('echo inside > inside; echo secret-of-outside > /tmp/secret; ln -sfn inside race')
    const flip = 'while :; do ln -s /tmp/secret n1 && mv -T n1 race; ln -s inside n2 && mv -T n2 race; done 2>/dev/null'
    const program = await runtime.stream(containerId(), ['sh', '-c', `${flip} & read -r _; kill $!`])
    const seen = new Map<string, number>()
    for (let round = 0; round < ROUNDS || seen.size < 2; round++) {
      const response = await get('race')
      const answer = response.ok ? await response.text() : await codeOf(response)
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
    }
    program.output.resume()
    program.input.end('\n')
    await program.exit
    expect([...seen.keys()].sort()).toEqual(['OUTSIDE_HOME', 'inside\n'])
  })
})

describe('the right to a transfer', () => {
  it('is the right to open a terminal', async () => {
    expect((await put('shared', 'x', team().colleague)).status).toBe(204)
    expect((await get('shared', team().admin)).status).toBe(200)
    const answers = await Promise.all([get('shared', team().stranger), put('shared', 'x', team().stranger)])
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    const tokenOf = async (...scopes: string[]) =>
      (await owner('POST /tokens', { name: 'files', scopes })).json<{ token: string }>().token
    const other = { ...team().owner, token: await tokenOf('agents:read', 'agents:write') }
    expect((await get('shared', other)).status).toBe(403)
    expect((await get('shared', { ...team().owner, token: await tokenOf('terminal') })).status).toBe(200)
  })

  it('ends with the right: a download on its way is cut off', async () => {
    await sh('truncate -s 2G sparse')
    await owner('POST /agents/files/shares', { email: team().stranger.email })
    const response = await get('sparse', team().stranger)
    const reader = response.body!.getReader()
    await reader.read()
    await owner(`DELETE /agents/files/shares/${team().stranger.id}`)
    const rest = async (): Promise<number> => {
      let bytes = 0
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return bytes
        bytes += (value as Uint8Array).length
      }
    }
    await expect(rest()).rejects.toThrow()
  })

  it('ends with the right: an upload whose sender is idle is given up, and leaves nothing', async () => {
    await owner('POST /agents/files/shares', { email: team().stranger.email })
    const socket = connect(port(), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    socket.write(`${uploadHead('taken', 1_000_000, team().stranger)}${'x'.repeat(1000)}`)
    await until('the unfinished file', async () => (await drafts()) !== '')
    await owner(`DELETE /agents/files/shares/${team().stranger.id}`)
    await until('an answer', () => /^HTTP\/1\.1 [45]/.test(answer))
    await until('the unfinished file to be gone', async () => (await drafts()) === '')
    expect(await sh('ls taken 2>&1')).toContain('No such file')
    socket.destroy()
  })

  // In the short form one transfer at a time.
  longIt('is held to eight transfers of one agent at once', async () => {
    await sh('truncate -s 1G sparse; touch empty')
    const open = await Promise.all(Array.from({ length: 8 }, () => get('sparse')))
    const refused = await get('sparse')
    expect([refused.status, await codeOf(refused)]).toEqual([429, 'TOO_MANY_REQUESTS'])
    await Promise.all(open.map((response) => response.body!.cancel()))
    await until('a free place', async () => {
      const response = await get('empty')
      await response.arrayBuffer()
      return response.ok
    })
  })
})

describe('docker cp races, PUT archive, working directory through /proc: the engine', () => {
  it('is never asked for its archive API, as its events show', async () => {
    const filters = { container: [containerId()], event: ['exec_create', 'archive-path', 'extract-to-dir', 'copy'] }
    const events = (await docker.getEvents({ filters, since: engineTime() })) as Readable
    let seen = ''
    events.on('data', (chunk: Buffer) => (seen += chunk.toString()))
    await sh('mkdir -p tree')
    await put('told', 'x')
    await (await get('told')).text()
    await (await get('tree')).arrayBuffer()
    await until('its events', () => seen.split('"exec_create').length > 3)
    // The same file through the archive API.
    const told = seen
    await docker.getContainer(containerId()).getArchive({ path: '/home/developer/told' })
    await until('the event of the control', () => seen.includes('archive-path'))
    expect(told).not.toMatch(/archive-path|extract-to-dir|"copy"/)
    events.destroy()
  })
})

/** Looks in the real container for paths that a program printed. */
import { FOLDER_ENTRIES_MAX, type FolderListing, type FoundFile } from '@slipway/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { openTerminal } from '../../../test/conformance/terminal.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import { answersIn, listingIn } from './find.ts'

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
let containerId = ''

beforeAll(async () => {
  await owner('POST /agents?wait=true', newAgent('finds'))
  const [container] = await docker.listContainers({ filters: { name: [`${namespace}-agent-finds`] } })
  containerId = container?.Id ?? ''
  await sh('mkdir -p project/src other && echo 12345 > project/src/x.ts && echo 1 > "a b.txt" && echo 22 > other/notes')
  await sh('ln -s /etc/passwd outside && ln -s project/src/x.ts inside && mkfifo pipe')
})
const sh = async (script: string): Promise<void> => {
  const argv = ['sh', '-c', script]
  await runtime.run(containerId, { argv, timeoutMs: 60_000, maxOutputBytes: 10_000 })
}
const find = async (...paths: string[]): Promise<FoundFile[]> => {
  const response = await owner('POST /agents/finds/files/find', { paths })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ items: FoundFile[] }>().items
}
const X = { kind: 'file', size: 6, path: '/home/developer/project/src/x.ts' }
const NONE = { kind: null, size: 0, path: null }

describe('paths of the home', () => {
  it('are files and folders with where they really are, in the order in which they were asked for', async () => {
    expect(await find('~/project/src/x.ts', 'nothing', '/home/developer/project', 'a b.txt', 'inside')).toEqual([
      X,
      NONE,
      { kind: 'folder', size: 0, path: '/home/developer/project' },
      { kind: 'file', size: 2, path: '/home/developer/a b.txt' },
      X,
    ])
  })

  it('do not lead out of it, by their names or by links', async () => {
    const paths = ['/etc/passwd', 'outside', '../../etc/passwd', '/proc/self/environ', 'pipe', '-la', '$(id)', '~root']
    expect(await find(...paths)).toEqual(paths.map(() => NONE))
  })

  it('are relative to where the newest program with a terminal works', async () => {
    expect(await find('src/x.ts')).toEqual([NONE])
    const argv = ['/bin/sh', '-c', 'cd ~/project && exec cat']
    const { pty } = await openTerminal({ runtime, containerId }, argv, { folder: '/home/developer' })
    try {
      await expect.poll(() => find('src/x.ts', 'notes')).toEqual([X, NONE])
    } finally {
      await pty.hangUp()
    }
  })

  it.each([[[]], [['x'.repeat(1025)]], [['a\nb']], [['']], [Array.from({ length: 17 }, () => 'x')]])(
    'are refused when they are none, too long or too many: %j',
    async (paths) => {
      expect((await owner('POST /agents/finds/files/find', { paths })).statusCode).toBe(400)
    },
  )
})

describe('a folder of the home', () => {
  const list = (path: string) => owner(`GET /agents/finds/files/list?${new URLSearchParams({ path }).toString()}`)
  const listed = async (path: string): Promise<FolderListing> => {
    const response = await list(path)
    expect(response.statusCode, response.body).toBe(200)
    return response.json<FolderListing>()
  }

  it('is listed with its files and folders, links followed, and hidden ones last', async () => {
    await sh(
      `mkdir -p listed/sub listed/.hid && cd listed && echo 1 >file && ln -sf sub link && ln -sf gone dead && mkfifo -m 600 pipe2
      touch -- "$(printf 'l\\351')" '-dash' '$(id)'`,
    )
    expect(await listed('listed')).toEqual({
      path: '/home/developer/listed',
      items: [
        { kind: 'file', name: '$(id)' },
        { kind: 'file', name: '-dash' },
        { kind: 'file', name: 'file' },
        { kind: 'folder', name: 'link' },
        { kind: 'folder', name: 'sub' },
        { kind: 'folder', name: '.hid' },
      ],
      truncated: false,
    })
    expect(await listed('~/listed/link')).toEqual({ path: '/home/developer/listed/sub', items: [], truncated: false })
  })

  it('has at most so many entries', async () => {
    await sh(`mkdir -p many && cd many && seq 1 ${FOLDER_ENTRIES_MAX + 1} | xargs touch`)
    const { items, truncated } = await listed('many')
    expect([items.length, truncated]).toEqual([FOLDER_ENTRIES_MAX, true])
  })

  it.each([
    ['/etc', 400, 'OUTSIDE_HOME'],
    ['a/../..', 400, 'OUTSIDE_HOME'],
    ['out', 400, 'OUTSIDE_HOME'],
    ['missing', 404, 'FILE_NOT_FOUND'],
    ['other/notes', 409, 'FILE_REFUSED'],
  ])('%s is not one', async (path, status, code) => {
    await sh('ln -sfn /etc out')
    const response = await list(path)
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code])
  })

  it.each(['', '/etc\0', '/home/developer\0file\0', '/home/developer\0pipe\0x\0', '/home/developer\0file\0a/b\0'])(
    'is not believed where the container answers %j',
    (said) => expect(() => listingIn(Buffer.from(said))).toThrow(RuntimeError),
  )
})

describe('the answer of the container', () => {
  it.each(['', 'file\0', 'file\x001\0/etc/passwd\0', 'file\0-1\0/home/developer/x\0', 'none\x000\0\0none\x000\0\0'])(
    'is not believed where it is %j',
    (said) => expect(() => answersIn(Buffer.from(said), 1)).toThrow(RuntimeError),
  )
})

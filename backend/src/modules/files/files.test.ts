import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { type FoundFile, MAX_UPLOAD_BYTES } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { codeOf, sha256, useTransfers } from '../../../test/support/engine/transfers.ts'
import { failureOf, scriptArgv } from './program.ts'

const MIB = 1024 * 1024
const { runtime, team, owner, baseUrl, port, containerId, sh, filesUrl, get, put, uploadHead, drafts } = useTransfers()

describe('a file', () => {
  it('goes in and comes out, byte by byte, under any name', async () => {
    const bytes = randomBytes(3 * MIB + 7)
    const path = `-ü "x" $(id) 'y'\n.bin`
    expect((await put(path, bytes)).status).toBe(204)
    const response = await get(path)
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''-%C3%BC`)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await sh(`stat -c '%a %U' -- -ü*`)).toBe('644 developer\n')
  })

  /** Latin-1, Shift JIS, a cut sequence, an overlong one, a surrogate, bytes that UTF-8 never has, and false encodings. */
  // In the short form one byte that is no UTF-8, and one beside what looks like an escape of it.
  const NAMES = [
    'caf%E9.txt',
    'x%80%5C0101',
    ...inLongForm(['%93%FA%96%7B', 'a%E6%96', '%C0%AF', '%ED%A0%80', '%FF%FE%0A', '%25E9', '%2B+']),
  ]

  it.each(NAMES)('whose name is no UTF-8 goes in, comes out and is replaced: %s', async (encoded) => {
    const address = (path: string) => `${baseUrl()}/api/agents/files/files?path=bytes/${path}&parents=true`
    const headers = { authorization: `Bearer ${team().owner.token}`, 'content-type': 'application/octet-stream' }
    for (const body of ['first', 'second']) {
      expect((await fetch(address(encoded), { method: 'PUT', headers, body })).status).toBe(204)
      const answer = await fetch(address(encoded).replace('&parents=true', ''), { headers })
      expect([answer.status, await answer.text()]).toEqual([200, body])
    }
    // The kernel has exactly these bytes.
    const name = encoded
      .replaceAll('+', ' ')
      .replace(/%(..)/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    const octal = Array.from(name, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')
    expect(await sh(`f=$(printf '%b.' '${octal}'); cat "$HOME/bytes/\${f%.}"`)).toBe('second')
  })

  it('with any name is in the archive of its folder, and nameable in a folder with any name', async () => {
    await sh(`mkdir -p "$(printf 'arch/d\\351r')" && cd "$(printf 'arch/d\\351r')" && echo in > "$(printf 'f\\377')"`)
    const headers = { authorization: `Bearer ${team().owner.token}` }
    const archive = await fetch(`${baseUrl()}/api/agents/files/files?path=arch`, { headers })
    expect(Buffer.from(await archive.arrayBuffer()).toString('latin1')).toContain('d\u00e9r/f\u00ff')
    const one = await fetch(`${baseUrl()}/api/agents/files/files?path=arch/d%E9r/f%FF`, { headers })
    expect(await one.text()).toBe('in\n')
    expect(one.headers.get('content-disposition')).toBe(`attachment; filename="f_"; filename*=ISO-8859-1''f%FF`)
    // The server's answer names it so that the client can send the name back.
    await sh(`ln -sfn "$HOME/$(printf 'arch/d\\351r/f\\377')" named`)
    const found = await owner('POST /agents/files/files/find', { paths: ['~/named'] })
    const [item] = found.json<{ items: FoundFile[] }>().items
    expect(item).toMatchObject({ kind: 'file', path: '/home/developer/arch/d\ufffdr/f\ufffd' })
    const back = await fetch(`${baseUrl()}/api/agents/files/files?path=${item?.encodedPath}`, { headers })
    expect(await back.text()).toBe('in\n')
  })

  it.each(['%2e%2e/x', 'a/%2E%2e/x', '%C0%AE%C0%AE/../x', '%2Fetc%2Fpasswd'])(
    'is not outside the home by its bytes: %s',
    async (path) => {
      const headers = { authorization: `Bearer ${team().owner.token}` }
      const answer = await fetch(`${baseUrl()}/api/agents/files/files?path=${path}`, { headers })
      expect(await codeOf(answer)).toBe('OUTSIDE_HOME')
    },
  )

  it('may be empty', async () => {
    expect((await put('empty', '')).status).toBe(204)
    expect(await (await get('~/empty')).text()).toBe('')
  })

  it('replaces an existing file and keeps its mode, without the set-user-id and set-group-id bits', async () => {
    await sh('echo old > tool && chmod 6751 tool')
    expect((await put('/home/developer/tool', 'new')).status).toBe(204)
    expect(await sh('cat tool; stat -c %a tool')).toBe('new751\n')
  })

  it('has the missing folders of its path made on request, and nowhere but in the home', async () => {
    await sh('mkdir -p ~/made && ln -s /tmp ~/made/out && ln -s nowhere ~/made/dangling && echo x > ~/made/file')
    expect(await codeOf(await put('made/a/b.txt', 'x'))).toBe('FILE_NOT_FOUND')
    const parents = (path: string) => put(path, 'new', team().owner, '&parents=true')
    expect((await parents('made/a b/$(id)/c.txt')).status).toBe(204)
    expect(await sh('cat "$HOME/made/a b/\\$(id)/c.txt"')).toBe('new')
    expect((await parents('made/a b/$(id)/d.txt')).status).toBe(204)
    expect(await codeOf(await parents('made/out/d/e.txt'))).toBe('OUTSIDE_HOME')
    expect(await codeOf(await parents('made/dangling/e.txt'))).toBe('FILE_REFUSED')
    expect(await codeOf(await parents('made/file/e.txt'))).toBe('FILE_REFUSED')
    expect(await sh('ls -d /tmp/d 2>&1')).toContain('No such file')
    const both = await Promise.all(['one', 'two'].map((name) => parents(`made/at/once/${name}`)))
    expect(both.map(({ status }) => status)).toEqual([204, 204])
  })

  it('replaces a link and does not follow it', async () => {
    await sh('echo kept > target && ln -sf target link && ln -sf /tmp/outside outlink')
    expect((await put('link', 'new')).status).toBe(204)
    expect((await put('outlink', 'new')).status).toBe(204)
    expect(await sh('cat target; ls /tmp/outside 2>&1; stat -c %F link outlink')).toMatch(
      /^kept\nls: .*\nregular file\nregular file\n$/,
    )
  })

  // The first test compares every byte of smaller files.
  longIt('of 100 MB passes both ways with the same sum', async () => {
    await sh('head -c 104857600 /dev/urandom > large')
    const wanted = (await sh('sha256sum large')).slice(0, 64)
    const down = await get('large')
    expect(await sha256(down.body! as AsyncIterable<Uint8Array>)).toBe(wanted)
    const again = await get('large')
    const up = await fetch(filesUrl('copy'), {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${team().owner.token}`,
        'content-type': 'application/octet-stream',
        'content-length': '104857600',
      },
      body: again.body!,
      duplex: 'half',
    })
    expect(up.status).toBe(204)
    expect((await sh('sha256sum copy')).slice(0, 64)).toBe(wanted)
    await sh('rm large copy')
  })

  it('that the client does not read is not read from the container either', async () => {
    await sh('truncate -s 1G sparse')
    const response = await get('sparse')
    const position = async (): Promise<number> =>
      Number(/^pos:\s*(\d+)/m.exec(await sh('cat /proc/$(pgrep -x head)/fdinfo/0'))?.[1])
    let [before, now] = [-1, await position()]
    // Sockets and pipes take some bytes first; then the position stays.
    while (before !== now) [before, now] = [now, await position()]
    expect(now).toBeGreaterThan(0)
    expect(now).toBeLessThan(64 * MIB)
    await response.body!.cancel()
    // The engine takes seconds to notice that the reader is gone.
    await until('its program to end', async () => (await sh('pgrep -x head')) === '')
  })

  it('is not there until it is complete, and not at all when its sender leaves', async () => {
    const socket = connect(port(), '127.0.0.1')
    socket.write(`${uploadHead('half', 1_000_000)}${'x'.repeat(1000)}`)
    await until('the unfinished file', async () => (await drafts()) !== '')
    expect(await sh('ls half 2>&1')).toContain('No such file')
    socket.destroy()
    await until('the unfinished file to be gone', async () => (await drafts()) === '')
    expect(await sh('ls half 2>&1')).toContain('No such file')
  })

  it.each([
    ['a file that is not there', 'nothing', 'FILE_NOT_FOUND'],
    ['a pipe, which would keep one waiting', 'pipe', 'FILE_REFUSED'],
    ['a file that its own user may not read', 'unreadable', 'FILE_REFUSED'],
  ])('%s is refused with a reason', async (_what, path, code) => {
    await sh('test -p pipe || mkfifo pipe; touch unreadable; chmod 0 unreadable')
    expect(await codeOf(await get(path))).toBe(code)
  })

  it('is refused where it cannot be put', async () => {
    await sh('mkdir -p folder locked; chmod 500 locked')
    expect(await codeOf(await put('nowhere/file', 'x'))).toBe('FILE_NOT_FOUND')
    expect(await codeOf(await put('folder', 'x'))).toBe('FILE_REFUSED')
    expect(await codeOf(await put('locked/file', 'x'))).toBe('FILE_REFUSED')
    expect(await drafts()).toBe('')
  })

  it('that finds no room is refused, and leaves nothing', async () => {
    // A limit on the size of files stands for a full disk: the write fails at the same place.
    const limited = ['sh', '-c', 'trap "" XFSZ; ulimit -f 64; exec "$@"', 'sh']
    const argv = scriptArgv('write', '/home/developer', 'large', String(MIB), '.slipway-upload-x')
    const program = await runtime.stream(containerId(), [...limited, ...argv])
    program.input.on('error', () => undefined)
    program.input.end(Buffer.alloc(MIB))
    program.output.resume()
    expect(failureOf((await program.exit).exitCode)).toMatchObject({ code: 'DISK_FULL', statusCode: 507 })
    expect(await sh('ls large 2>&1')).toContain('No such file')
    expect(await drafts()).toBe('')
  })

  it('that is too large is refused before anything of it is read', async () => {
    const socket = connect(port(), '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    socket.write(uploadHead('large', MAX_UPLOAD_BYTES + 1))
    await until('the answer', () => answer.includes('TOO_LARGE'))
    await until('the connection to end', () => socket.closed || socket.readableEnded)
    socket.destroy()
  })

  it('without its length is refused', async () => {
    const body = Readable.toWeb(Readable.from(['abc'])) as ReadableStream
    const headers = { authorization: `Bearer ${team().owner.token}`, 'content-type': 'application/octet-stream' }
    const response = await fetch(filesUrl('x'), { method: 'PUT', headers, body, duplex: 'half' })
    expect([response.status, await codeOf(response)]).toEqual([411, 'LENGTH_REQUIRED'])
  })
})

describe('a folder', () => {
  it('comes out as a tar archive, with links as links', async () => {
    await sh('mkdir -p tree/sub && echo one > tree/sub/a && ln -sf /etc/passwd tree/link')
    const response = await get('tree')
    expect(response.headers.get('content-type')).toBe('application/x-tar')
    expect(response.headers.get('content-disposition')).toContain('filename="tree.tar"')
    await put('tree.tar', Buffer.from(await response.arrayBuffer()))
    expect(await sh('tar -tvf tree.tar | sed "s/ \\+/ /g" | cut -d" " -f1,6- | sort')).toBe(
      ['-rw-r--r-- ./sub/a', 'drwxr-xr-x ./', 'drwxr-xr-x ./sub/', 'lrwxrwxrwx ./link -> /etc/passwd', ''].join('\n'),
    )
  })

  it('in which a file grows, and another appears, while it is read comes out whole', async () => {
    await sh('mkdir -p growing && truncate -s 64M growing/log')
    const response = await get('growing')
    // It cannot be read to its end yet, since nothing reads the answer.
    await until('the file to be read', async () => (await sh('readlink /proc/$(pgrep -x tar)/fd/*')).includes('/log'))
    await sh('echo more >> growing/log; touch growing/new')
    let size = 0
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) size += chunk.length
    expect(size).toBeGreaterThan(64 * MIB)
    await sh('rm -r growing')
  })

  it('that cannot be read whole breaks off, so that no client takes it for the whole', async () => {
    await sh('mkdir -p partly && echo a > partly/a && touch partly/b && chmod 0 partly/b')
    await expect(get('partly').then((response) => response.arrayBuffer())).rejects.toThrow()
  })
})

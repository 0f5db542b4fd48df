/** Lists and searches files of a real container. Its names are as hostile as a file system allows. */
import { SEARCH_HITS_MAX, SEARCH_PER_FILE_MAX } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { itemsOf, linesOf, useFolders } from '../../../../test/support/engine/folders.ts'
import { codeOf } from '../../../../test/support/engine/transfers.ts'

const { team, baseUrl, sh, get, put, ask } = useFolders()

const HOME = '/home/developer'
/** The short form makes fewer files, which takes a busy disk long enough. */
const MANY = isLongForm ? 100_000 : 15_000

const versions = async (...paths: string[]): Promise<(string | null)[]> =>
  ((await (await ask('POST', '/versions', '', { paths })).json()) as { items: (string | null)[] }).items

describe('a folder in the tree', () => {
  it('has folders first, then all other entries, by name and with any bytes', async () => {
    await sh(
      `mkdir -p tree/b tree/.hid && cd tree && touch a.txt B.txt -- '-dash' '$(id)' "$(printf 'l\\351')" "$(printf 'new\\nline')" ' lead'
      ln -s b A-link; ln -s a.txt link.txt; ln -s nothing broken; mkfifo -m 600 pipe; ln -s /etc outside; touch "$(printf 'x%.0s' $(seq 255))"`,
    )
    const [folder, ...rest] = await linesOf(await ask('GET', '/tree', 'path=tree'))
    expect(folder).toMatchObject({ type: 'folder', path: `${HOME}/tree`, version: (await versions('tree'))[0] })
    expect(rest.at(-1)).toEqual({ type: 'end', truncated: false })
    const found = itemsOf(rest, 'entries')
    expect(found.filter(({ kind }) => kind === 'folder')).toEqual([
      { name: '.hid', kind: 'folder' },
      { name: 'A-link', kind: 'folder', isLink: true },
      { name: 'b', kind: 'folder' },
      { name: 'outside', kind: 'folder', isLink: true },
    ])
    expect(found.filter(({ kind }) => kind === 'file')).toEqual([
      { name: ' lead', kind: 'file' },
      { name: '$(id)', kind: 'file' },
      { name: '-dash', kind: 'file' },
      { name: 'a.txt', kind: 'file' },
      { name: 'B.txt', kind: 'file' },
      { name: 'link.txt', kind: 'file', isLink: true },
      { name: 'l\ufffd', kind: 'file', encodedName: 'l%E9' },
      { name: 'new\nline', kind: 'file' },
      { name: 'x'.repeat(255), kind: 'file' },
    ])
    expect(found.filter(({ kind }) => kind === 'other').map(({ name }) => name)).toEqual(['broken', 'pipe'])
  })

  it('may have very many entries, which come in parts and in their order', async () => {
    await sh(`mkdir -p many && cd many && seq -f "%06g" 1 ${MANY} | xargs touch`)
    const lines = await linesOf(await ask('GET', '/tree', 'path=many'))
    expect(lines.length).toBeGreaterThan(3)
    const names = itemsOf(lines, 'entries').map(({ name }) => name)
    expect([names.length, names[0], names.at(-1)]).toEqual([MANY, '000001', String(MANY).padStart(6, '0')])
    expect(names).toEqual(names.toSorted())
    await sh('rm -rf many')
  })

  it('has bytes in its name, which the answer keeps', async () => {
    await sh(`mkdir -p "$(printf 'odd\\377')" && touch "$(printf 'odd\\377')/in"`)
    const [folder, ...rest] = await linesOf(await ask('GET', '/tree', 'path=odd%FF'))
    expect(folder).toMatchObject({ type: 'folder', path: `${HOME}/odd\ufffd`, encodedPath: '/home/developer/odd%FF' })
    expect(itemsOf(rest, 'entries')).toEqual([{ name: 'in', kind: 'file' }])
  })

  it.each([
    ['%2Fetc', 'OUTSIDE_HOME'],
    ['a/../..', 'OUTSIDE_HOME'],
    ['tree/outside', 'OUTSIDE_HOME'],
    ['missing', 'FILE_NOT_FOUND'],
    ['tree/a.txt', 'FILE_REFUSED'],
    ['locked', 'FILE_REFUSED'],
    ['%00', 'VALIDATION'],
  ])('%s is none, in every question about folders', async (path, code) => {
    await sh('mkdir -p locked && chmod 0 locked')
    for (const [method, what, body] of [
      ['GET', '/tree'],
      ['GET', '/names'],
      ['POST', '/search', { pattern: 'x' }],
    ] as const)
      expect([what, await codeOf(await ask(method, what, `path=${path}`, body))]).toEqual([what, code])
  })
})

describe('the names below a folder', () => {
  it('are those of its files, without what git ignores and without caches', async () => {
    await sh(
      `mkdir -p repo/src repo/node_modules/x repo/dist repo/.github .cache && cd repo && git init -q . 2>/dev/null
      echo dist > .gitignore; touch src/a.ts node_modules/x/i.js dist/out.js .github/ci.yml "$(printf 'src/\\351')" ../.cache/c`,
    )
    const lines = await linesOf(await ask('GET', '/names', 'path=~'))
    const names = itemsOf(lines, 'names').filter((name) => name.startsWith('repo/') || name.startsWith('.cache'))
    expect(names.toSorted()).toEqual(['repo/.github/ci.yml', 'repo/.gitignore', 'repo/src/a.ts'])
    const encoded = lines.flatMap((line) => (line.type === 'names' ? (line.encodedItems ?? []) : []))
    expect(encoded).toContain('repo/src/%E9')
  })
})

describe('a search', () => {
  const search = async (body: object, path = 'find') => linesOf(await ask('POST', '/search', `path=${path}`, body))

  it('finds text as it stands, with the place of each match', async () => {
    await sh(`mkdir -p find/sub && cd find && printf 'one\\nä Needle( and needle(\\n' > a.txt; printf 'needle(' > "$(printf 'sub/n\\351\\nx')"
      ln -s /etc/passwd outside; mkfifo -m 600 pipe; printf 'needle(\\0binary' > bin`)
    const found = itemsOf(await search({ pattern: 'needle(' }), 'hits')
    expect(found.find(({ path }) => path === 'a.txt')).toEqual({
      path: 'a.txt',
      line: 2,
      text: 'ä Needle( and needle(',
      marks: [
        [2, 9],
        [14, 21],
      ],
    })
    const odd = found.find(({ path }) => path.startsWith('sub/'))
    expect(odd).toMatchObject({ path: 'sub/n\ufffd\nx', encodedPath: 'sub/n%E9%0Ax', line: 1, text: 'needle(' })
    expect(itemsOf(await search({ pattern: 'needle(', matchesCase: true }), 'hits')[0]?.marks).toHaveLength(1)
    expect(itemsOf(await search({ pattern: 'ne+dle', isRegex: true, isWord: true }), 'hits').length).toBeGreaterThan(1)
    expect(itemsOf(await search({ pattern: 'root:' }), 'hits')).toEqual([])
    expect(itemsOf(await search({ pattern: '--files' }), 'hits')).toEqual([])
  })

  it('shows a part of a long line, leaves out one without an end, and stops at its bounds', async () => {
    await sh(`mkdir -p long && cd long && { head -c 5000 /dev/zero | tr '\\0' x; printf 'needle'; head -c 5000 /dev/zero | tr '\\0' y; echo; } > a
      { head -c 900000 /dev/zero | tr '\\0' x; echo needle; } > b`)
    const lines = await search({ pattern: 'needle' }, 'long')
    const [hit, ...others] = itemsOf(lines, 'hits')
    expect(others).toEqual([])
    expect(hit?.text.slice(hit.marks[0]?.[0], hit.marks[0]?.[1])).toBe('needle')
    expect(hit?.text.length).toBeLessThan(400)
    expect(lines.at(-1)).toEqual({ type: 'end', truncated: false, skipped: 1 })
    await sh('mkdir -p lots && cd lots && for i in $(seq 20); do seq -f needle%g 300 > $i; done')
    const all = await search({ pattern: 'needle' }, 'lots')
    expect(itemsOf(all, 'hits').length).toBe(Math.min(SEARCH_HITS_MAX, 20 * SEARCH_PER_FILE_MAX))
    expect(all.at(-1)).toMatchObject({ type: 'end', truncated: true })
  })

  it('says that a regular expression is not valid', async () => {
    expect(await codeOf(await ask('POST', '/search', 'path=find', { pattern: '(', isRegex: true }))).toBe('VALIDATION')
  })

  // `exec/exec.test.ts` ends a program whose client is gone.
  longIt('ends in the container when its reader goes away', async () => {
    await sh('mkdir -p slow && cd slow && for i in $(seq 12); do head -c 19M /dev/zero | tr "\\0" "a\\n" > $i; done')
    const leave = new AbortController()
    const searched = fetch(`${baseUrl()}/api/agents/files/files/search?path=slow`, {
      method: 'POST',
      signal: leave.signal,
      headers: { authorization: `Bearer ${team().owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ pattern: '(a+a+)+b', isRegex: true }),
    })
    await (await searched).body?.getReader().cancel()
    leave.abort()
    await until('the search to end', async () => (await sh('pgrep -x rg')) === '')
    await sh('rm -rf slow')
  })
})

describe('a version', () => {
  it('changes with the content of a file and the names of a folder', async () => {
    await sh(`mkdir -p seen/sub && echo 1 > seen/a && echo 1 > "$(printf 'seen/\\351')" && ln -sfn /etc seen/out`)
    const paths = ['seen', 'seen%2Fsub', 'seen/a', 'seen/%E9', 'seen/out', 'seen/missing', 'seen/out/passwd']
    const before = await versions(...paths)
    expect(before.map((version) => version !== null)).toEqual([true, true, true, true, false, false, false])
    expect(await versions(...paths)).toEqual(before)
    await sh('echo 2 > seen/a; touch seen/sub/new')
    const after = await versions(...paths)
    expect(after.map((version, at) => version === before[at])).toEqual([true, false, false, true, true, true, true])
  })

  it('keeps a save from replacing what another program wrote meanwhile', async () => {
    const send = (path: string, body: string, headers: Record<string, string>) =>
      fetch(`${baseUrl()}/api/agents/files/files?path=${path}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${team().owner.token}`,
          'content-type': 'application/octet-stream',
          ...headers,
        },
        body,
      })
    await sh('mkdir -p saved && cd saved && echo one > a && ln -s a link')
    const first = await get('saved/link')
    expect(first.headers.get('content-location')).toBe('?path=/home/developer/saved/a')
    const etag = first.headers.get('etag') ?? ''
    const saved = await send('saved/a', 'two', { 'if-match': etag })
    expect(saved.status).toBe(204)
    const next = saved.headers.get('etag') ?? ''
    expect((await get('saved/a')).headers.get('etag')).toBe(next)
    const refused = await send('saved/a', 'three', { 'if-match': etag })
    expect([refused.status, await codeOf(refused)]).toEqual([412, 'FILE_CHANGED'])
    await sh('echo ours > saved/a')
    expect(await codeOf(await send('saved/a', 'three', { 'if-match': next }))).toBe('FILE_CHANGED')
    expect(await codeOf(await send('saved/gone', 'x', { 'if-match': next }))).toBe('FILE_CHANGED')
    expect(await codeOf(await send('saved/a', 'x', { 'if-none-match': '*' }))).toBe('FILE_EXISTS')
    expect((await send('saved/new', 'x', { 'if-none-match': '*' })).status).toBe(204)
    expect(await codeOf(await send('saved/a', 'x', { 'if-match': '*' }))).toBe('VALIDATION')
    expect(await sh('cat saved/a saved/new; find . -name ".slipway-upload-*"')).toBe('ours\nx')
  })
})

describe('a part of a file', () => {
  const part = async (path: string, range: string) => {
    const response = await fetch(`${baseUrl()}/api/agents/files/files?path=${path}`, {
      headers: { authorization: `Bearer ${team().owner.token}`, range },
    })
    return [response.status, response.headers.get('content-range'), await response.text()]
  }

  it('of any size is sent alone', async () => {
    await put('part', '0123456789')
    expect(await part('part', 'bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await part('part', 'bytes=8-')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await part('part', 'bytes=8-99')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await part('part', 'bytes=10-')).toEqual([200, null, '0123456789'])
    expect(await part('part', 'bytes=4-2')).toEqual([200, null, '0123456789'])
    await sh('truncate -s 1G huge && printf end >> huge')
    expect(await part('huge', 'bytes=1073741824-1073741900')).toEqual([
      206,
      'bytes 1073741824-1073741826/1073741827',
      'end',
    ])
  })
})

/** Changes files of a real container. Its names are as hostile as a file system allows. */
import { TRASH_COUNT } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { useFolders } from '../../../../test/support/engine/folders.ts'
import { codeOf } from '../../../../test/support/engine/transfers.ts'

const { sh, ask, entries } = useFolders()

/** The names in the trash. */
const trashed = async (): Promise<string[]> => (await entries('.slipway-trash')).map(({ name }) => name)

describe('a change', () => {
  it('makes folders, and refuses a name that exists', async () => {
    expect((await ask('POST', '/folder', 'path=made/one/two%0A%FF')).status).toBe(204)
    expect((await entries('made/one'))[0]).toMatchObject({ kind: 'folder', encodedName: 'two%0A%FF' })
    expect(await codeOf(await ask('POST', '/folder', 'path=made/one'))).toBe('FILE_EXISTS')
    await sh('ln -sfn /tmp made/out; ln -s nothing made/dangling')
    expect(await codeOf(await ask('POST', '/folder', 'path=made/out/x'))).toBe('OUTSIDE_HOME')
    expect(await codeOf(await ask('POST', '/folder', 'path=made/dangling'))).toBe('FILE_EXISTS')
    expect(await sh('ls -d /tmp/x 2>&1')).toContain('No such file')
  })

  it('moves any name, a link itself, and never onto another file', async () => {
    await sh(
      `mkdir -p move/to && cd move && echo 1 > "$(printf 'a\\n\\351')" && echo 2 > b && ln -s b link && ln -sfn /tmp out`,
    )
    expect((await ask('POST', '/move', 'path=move/a%0A%E9&to=move/to/-c%FF')).status).toBe(204)
    expect(await sh(`cat "$(printf 'move/to/-c\\377')"`)).toBe('1\n')
    expect((await ask('POST', '/move', 'path=move/link&to=move/to/link')).status).toBe(204)
    expect(await sh('readlink move/to/link; cat move/b')).toBe('b\n2\n')
    expect(await codeOf(await ask('POST', '/move', 'path=move/b&to=move/to/link'))).toBe('FILE_EXISTS')
    expect(await codeOf(await ask('POST', '/move', 'path=move/missing&to=move/x'))).toBe('FILE_NOT_FOUND')
    expect(await codeOf(await ask('POST', '/move', 'path=move/b&to=move/out/b'))).toBe('OUTSIDE_HOME')
    expect(await codeOf(await ask('POST', '/move', 'path=move/out/b&to=move/x'))).toBe('OUTSIDE_HOME')
    expect(await codeOf(await ask('POST', '/move', 'path=move/to&to=move/to/in'))).toBe('VALIDATION')
    expect(await codeOf(await ask('POST', '/move', 'path=~&to=move/x'))).toBe('VALIDATION')
  })

  it('deletes into the trash, from where a move brings it back, and keeps the trash small', async () => {
    await sh(`mkdir -p gone/folder && echo kept > "$(printf 'gone/folder/n\\351')"; ln -s /etc gone/link`)
    const removed = await ask('DELETE', '', 'path=gone/folder')
    const { encodedPath } = (await removed.json()) as { encodedPath: string }
    expect(await entries('gone')).toEqual([{ name: 'link', kind: 'folder', isLink: true }])
    expect((await ask('POST', '/move', `path=${encodedPath}&to=gone/back`)).status).toBe(204)
    expect(await sh(`cat "$(printf 'gone/back/n\\351')"`)).toBe('kept\n')
    expect((await ask('DELETE', '', 'path=gone/link')).status).toBe(200)
    expect(await sh('ls -d /etc')).toBe('/etc\n')
    expect(await (await ask('DELETE', '', 'path=gone/back&forGood=true')).json()).toEqual({ encodedPath: null })
    expect(await codeOf(await ask('DELETE', '', 'path=gone/back'))).toBe('FILE_NOT_FOUND')
    expect(await codeOf(await ask('DELETE', '', 'path=~'))).toBe('VALIDATION')
    await sh(
      `cd .slipway-trash && mkdir $(seq -f 00000000-0000-7000-8000-0000000000%02g 1 ${TRASH_COUNT + 5}) own; touch new`,
    )
    await sh('echo 1 > late')
    await ask('DELETE', '', 'path=late')
    await until('the oldest to go', async () => (await trashed()).length <= TRASH_COUNT + 2)
    const kept = await trashed()
    expect([kept.length, kept.includes('own')]).toEqual([TRASH_COUNT + 2, true])
    expect(kept).not.toContain('00000000-0000-7000-8000-000000000006')
    await ask('DELETE', '', 'path=.slipway-trash')
    expect(await sh('ls -d .slipway-trash 2>&1')).toContain('No such file')
  })

  it('deletes what can be brought back also after the clock was set back', async () => {
    await sh(
      `mkdir -p .slipway-trash && cd .slipway-trash && mkdir $(seq -f ffff0000-0000-7000-8000-00000000ff%02g 1 ${TRASH_COUNT})`,
    )
    await sh('echo first > first; echo second > second')
    const removed = await ask('DELETE', '', 'path=first')
    const { encodedPath } = (await removed.json()) as { encodedPath: string }
    await ask('DELETE', '', 'path=second')
    await until('the oldest to go', async () => (await trashed()).length <= TRASH_COUNT)
    expect((await ask('POST', '/move', `path=${encodedPath}&to=first`)).status).toBe(204)
    expect(await sh('cat first .slipway-trash/*/second; rm -rf .slipway-trash first')).toBe('first\nsecond\n')
  })
})

import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Gathered, Gathering } from '@/api/transport/gather.ts'
import { saveFile } from '@/lib/browser/saveFile.ts'
import { DOWNLOADS_MAX, useDownloadsStore } from './downloads.ts'

vi.mock('@/lib/browser/saveFile.ts')

const FILE: Gathered = { content: new Blob(['kept']), name: 'notes.md' }

/** A download that runs until the test ends it. */
const going = () => {
  const { promise, resolve, reject } = Promise.withResolvers<Gathered>()
  let way: Gathering | undefined
  const get = (its: Gathering): Promise<Gathered> => {
    way = its
    its.signal.addEventListener('abort', () => reject(its.signal.reason))
    return promise
  }
  return { get, end: () => resolve(FILE), fail: reject, way: () => way! }
}

beforeEach(() => setActivePinia(createPinia()))

describe('a download', () => {
  it('is listed with how far it is, and saved under the name that the server gave it', async () => {
    const downloads = useDownloadsStore()
    const one = going()
    const saved = downloads.save('~/docs/notes.md', one.get)
    expect(downloads.underWay).toMatchObject([{ path: '~/docs/notes.md', loaded: 0, total: null }])
    one.way().told({ loaded: 2, total: 4 })
    expect(downloads.underWay).toMatchObject([{ loaded: 2, total: 4 }])
    one.end()
    await saved
    expect(downloads.underWay).toEqual([])
    expect(saveFile).toHaveBeenCalledExactlyOnceWith(FILE.content, 'notes.md')
  })

  it('that is cancelled is neither saved nor an error, and the others go on', async () => {
    const downloads = useDownloadsStore()
    const [one, other] = [going(), going()]
    const cancelled = downloads.save('one', one.get)
    const saved = downloads.save('other', other.get)
    downloads.cancel(downloads.underWay[0]!.id)
    await cancelled
    expect(downloads.underWay.map(({ path }) => path)).toEqual(['other'])
    other.end()
    await saved
    expect(saveFile).toHaveBeenCalledOnce()
  })

  it('that fails says why, and is listed no more', async () => {
    const downloads = useDownloadsStore()
    const one = going()
    const failed = downloads.save('one', one.get)
    one.fail(new Error('no such file'))
    await expect(failed).rejects.toThrow('no such file')
    expect(downloads.underWay).toEqual([])
  })

  it('is refused while so many are under way, and all of them end with their person', async () => {
    const downloads = useDownloadsStore()
    const all = Array.from({ length: DOWNLOADS_MAX }, (_, at) => downloads.save(`${at}`, going().get))
    await expect(downloads.save('more', going().get)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
    downloads.clear()
    await Promise.all(all)
    expect(downloads.underWay).toEqual([])
  })
})

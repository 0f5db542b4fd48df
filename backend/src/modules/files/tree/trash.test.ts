import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../../lib/log.ts'
import { FileChanges } from './changes.ts'
import { Trash } from './trash.ts'
import type { FolderRequest } from './tree.ts'

const ID = '019a0000-0000-7000-8000-000000000001'
const request = { found: { row: { id: 'a' } }, path: 'old' } as FolderRequest
const remove = (trash: Trash) => {
  const programs = { run: () => Promise.resolve(Buffer.from(`${ID}\n`)) }
  return new FileChanges({ programs, trash, newId: () => ID }).remove(request, false)
}

describe('a deletion', () => {
  it('is answered while the trash is still emptied, which happens once at a time and again afterwards', async () => {
    const emptied: PromiseWithResolvers<null>[] = []
    const runBeside = vi.fn(async () => {
      const one = Promise.withResolvers<null>()
      emptied.push(one)
      await one.promise
    })
    const trash = new Trash({ programs: { runBeside }, log: silentLog })
    expect(await remove(trash)).toEqual({ encodedPath: `/home/developer/.slipway-trash/${ID}/old` })
    await remove(trash)
    await remove(trash)
    expect(runBeside).toHaveBeenCalledTimes(1)

    emptied[0]?.reject(new Error('took too long'))
    await vi.waitFor(() => expect(runBeside).toHaveBeenCalledTimes(2), PATIENTLY)
    emptied[1]?.resolve(null)
  })
})

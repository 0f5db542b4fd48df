import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { readPart, saveFileText } from '@/api/files/fileTree.ts'
import { ApiError, unreachable } from '@/api/transport/errors.ts'
import { useConflict } from './useConflict.ts'
import { useEditing } from './useEditing.ts'
import type { ReadyFile } from './useFile.ts'

vi.mock('@/api/files/fileTree.ts', () => ({ readPart: vi.fn(), saveFileText: vi.fn() }))

const bytesOf = (text: string) => new TextEncoder().encode(text)
const part = (text: string, version: string) => {
  const bytes = bytesOf(text)
  return { bytes, size: bytes.length, version, realPath: '/home/a' }
}
const FILE: ReadyFile = {
  ...{ state: 'ready', path: '/home/a', isWhole: true, ...part('one', 'v1') },
  text: { text: 'one', lineEnd: '\n' } as ReadyFile['text'],
}
const changed = () => new ApiError(412, 'FILE_CHANGED', 'The file has changed.')
const gone = () => new ApiError(404, 'FILE_NOT_FOUND', 'There is no such file or folder.')

const reload = vi.fn<() => Promise<string | null>>()
beforeEach(() => void vi.resetAllMocks())
/** An edited file whose save met a conflict. */
const setUp = async (failure = changed(), text = 'mine') => {
  const agentKey = () => 'atlas'
  const editing = effectScope().run(() => useEditing(agentKey, () => undefined))!
  const conflict = effectScope().run(() => useConflict({ agentKey, editing, reload }))!
  editing.begin(FILE)
  editing.changed()
  vi.mocked(saveFileText).mockRejectedValueOnce(failure)
  await editing.save(text)
  await nextTick()
  await vi.waitFor(() => expect(conflict.isBusy.value).toBe(false))
  return { editing, conflict }
}
const lastPlace = () => vi.mocked(saveFileText).mock.lastCall?.[3]
const ANEW = { expected: 'none', parents: true }

it('writes a file anew that is gone from the disk', async () => {
  vi.mocked(readPart).mockRejectedValue(gone())
  const { editing, conflict } = await setUp()
  await conflict.compare('mine')
  expect([conflict.isGone.value, conflict.compared.value, conflict.error.value]).toEqual([true, null, null])
  vi.mocked(saveFileText).mockResolvedValueOnce('v2')
  await conflict.overwrite('mine')
  expect(lastPlace()).toEqual(ANEW)
  expect([editing.isConflict.value, editing.isDirty.value]).toEqual([false, false])
})

it('writes a file anew whose folder is gone, and makes the folder', async () => {
  vi.mocked(readPart).mockRejectedValue(gone())
  const { editing, conflict } = await setUp(gone())
  expect(lastPlace()).toEqual({ expected: 'v1', parents: false })
  expect([editing.isConflict.value, conflict.isGone.value, editing.error.value]).toEqual([true, true, null])
  vi.mocked(saveFileText).mockResolvedValueOnce('v2')
  await conflict.overwrite('mine')
  expect(lastPlace()).toEqual(ANEW)
  expect([editing.isConflict.value, editing.isDirty.value]).toEqual([false, false])
})

it('says that the file is gone if it goes after the user has compared it, and makes its folder then', async () => {
  vi.mocked(readPart).mockResolvedValue(part('two', 'v2'))
  const { editing, conflict } = await setUp()
  await conflict.compare('mine')
  vi.mocked(readPart).mockRejectedValue(gone())
  vi.mocked(saveFileText).mockRejectedValueOnce(gone())
  await conflict.overwrite('mine')
  expect([editing.isConflict.value, conflict.isGone.value, conflict.error.value]).toEqual([true, true, null])
  vi.mocked(saveFileText).mockResolvedValueOnce('v3')
  await conflict.overwrite('mine')
  expect([lastPlace(), editing.isConflict.value]).toEqual([ANEW, false])
})

it('keeps the text as changed if the file cannot be taken', async () => {
  vi.mocked(readPart).mockRejectedValue(gone())
  const { editing, conflict } = await setUp()
  reload.mockResolvedValue('There is no such file or folder.')
  await conflict.load()
  expect([editing.isDirty.value, editing.isConflict.value]).toEqual([true, true])
  expect(conflict.error.value).toBe('There is no such file or folder.')
})

it('takes a file for saved that has the text of a save whose answer was lost', async () => {
  vi.mocked(readPart).mockResolvedValue(part('mine', 'v2'))
  const { editing, conflict } = await setUp(unreachable(null))
  expect([editing.isConflict.value, editing.isDirty.value, editing.error.value]).toEqual([
    ...[false, true, unreachable(null).message],
  ])
  editing.isConflict.value = true
  await vi.waitFor(() => expect(editing.isConflict.value).toBe(false))
  expect([editing.isDirty.value, editing.error.value, conflict.error.value]).toEqual([false, null, null])
  vi.mocked(saveFileText).mockResolvedValueOnce('v3')
  await editing.save('more')
  expect(lastPlace()).toEqual({ expected: 'v2', parents: false })
})

/** The second save is refused, because the first one was written and only its answer was lost. */
const secondSave = async () => {
  vi.mocked(readPart).mockResolvedValue(part('mine', 'v2'))
  const { editing, conflict } = await setUp(unreachable(null))
  editing.changed()
  vi.mocked(saveFileText).mockRejectedValueOnce(changed())
  const saved = editing.save('mine and more')
  return { editing, conflict, saved }
}

it.each([
  ['all that was typed', 0, false],
  ['what was typed, and keeps what was typed since as changed', 1, true],
])('writes %s by a save after one whose answer was lost', async (_, more, isDirty) => {
  const { editing, saved } = await secondSave()
  vi.mocked(saveFileText).mockResolvedValueOnce('v3')
  for (let typed = 0; typed < more; typed += 1) editing.changed()
  await saved
  await vi.waitFor(() => expect(editing.file.value?.version).toBe('v3'))
  expect(vi.mocked(saveFileText).mock.lastCall?.slice(2)).toEqual(['mine and more', { expected: 'v2', parents: false }])
  expect([editing.isDirty.value, editing.isConflict.value, editing.error.value]).toEqual([isDirty, false, null])
})

it('shows the conflict if another program changes the file before the second save is made again', async () => {
  const { editing, conflict, saved } = await secondSave()
  vi.mocked(saveFileText).mockImplementationOnce(() => {
    vi.mocked(readPart).mockResolvedValue(part('theirs', 'v3'))
    return Promise.reject(changed())
  })
  await saved
  await vi.waitFor(() => expect(saveFileText).toHaveBeenCalledTimes(3))
  await nextTick()
  await vi.waitFor(() => expect(conflict.isBusy.value).toBe(false))
  expect([editing.isConflict.value, editing.isDirty.value]).toEqual([true, true])
  expect([editing.file.value?.version, editing.file.value?.text?.text]).toEqual(['v2', 'mine'])
})

it.each([
  ['a file with bytes that are no text', new Uint8Array([0])],
  ['a file of which only the beginning was read', null],
])('shows the conflict with %s, although an empty text could not be saved', async (_, bytes) => {
  const empty = { ...part('', 'v2'), ...(bytes === null ? { size: 1 } : { bytes, size: bytes.length }) }
  vi.mocked(readPart).mockResolvedValue(empty)
  const { editing, conflict } = await setUp(unreachable(null), '')
  editing.isConflict.value = true
  await nextTick()
  await vi.waitFor(() => expect(conflict.isBusy.value).toBe(false))
  expect([editing.isConflict.value, editing.isDirty.value]).toEqual([true, true])
})

it('overwrites only the version that was compared', async () => {
  vi.mocked(readPart).mockResolvedValue(part('two', 'v2'))
  const { editing, conflict } = await setUp()
  await conflict.compare('mine')
  vi.mocked(readPart).mockResolvedValue(part('three', 'v3'))
  vi.mocked(saveFileText).mockRejectedValueOnce(changed())
  await conflict.overwrite('mine')
  expect(lastPlace()).toEqual({ expected: 'v2', parents: false })
  expect([editing.isConflict.value, conflict.compared.value]).toEqual([true, null])
})

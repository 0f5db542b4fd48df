import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { readPart, saveFileText } from '@/api/files/fileTree.ts'
import { ApiError } from '@/api/transport/errors.ts'
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
const setUp = async () => {
  const agentKey = () => 'atlas'
  const editing = effectScope().run(() => useEditing(agentKey, () => undefined))!
  const conflict = effectScope().run(() => useConflict({ agentKey, editing, reload }))!
  editing.begin(FILE)
  editing.changed()
  vi.mocked(saveFileText).mockRejectedValueOnce(changed())
  await editing.save('mine')
  await nextTick()
  await vi.waitFor(() => expect(conflict.isBusy.value).toBe(false))
  return { editing, conflict }
}
const lastExpected = () => vi.mocked(saveFileText).mock.lastCall?.[3]

it('writes a file anew that is gone from the disk', async () => {
  vi.mocked(readPart).mockRejectedValue(gone())
  const { editing, conflict } = await setUp()
  await conflict.compare('mine')
  expect([conflict.isGone.value, conflict.compared.value, conflict.error.value]).toEqual([true, null, null])
  vi.mocked(saveFileText).mockResolvedValueOnce('v2')
  await conflict.overwrite('mine')
  expect(lastExpected()).toBe('none')
  expect([editing.isConflict.value, editing.isDirty.value]).toEqual([false, false])
})

it('keeps the text as changed if the file cannot be taken', async () => {
  vi.mocked(readPart).mockRejectedValue(gone())
  const { editing, conflict } = await setUp()
  reload.mockResolvedValue('There is no such file or folder.')
  await conflict.load()
  expect([editing.isDirty.value, editing.isConflict.value]).toEqual([true, true])
  expect(conflict.error.value).toBe('There is no such file or folder.')
})

it('overwrites only the version that was compared', async () => {
  vi.mocked(readPart).mockResolvedValue(part('two', 'v2'))
  const { editing, conflict } = await setUp()
  await conflict.compare('mine')
  vi.mocked(readPart).mockResolvedValue(part('three', 'v3'))
  vi.mocked(saveFileText).mockRejectedValueOnce(changed())
  await conflict.overwrite('mine')
  expect(lastExpected()).toBe('v2')
  expect([editing.isConflict.value, conflict.compared.value]).toEqual([true, null])
})

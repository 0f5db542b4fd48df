// @vitest-environment happy-dom
import { AGENT_HOME, type TreeEntry } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter, RouterView } from 'vue-router'
import { type FilePart, listEntries, moveFile, readPart } from '@/api/files/fileTree.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { asked } from '@/composables/useConfirm.ts'
import { useFilesPage } from './useFilesPage.ts'

vi.mock('@/api/files/fileTree.ts')
const disk = vi.hoisted((): { changed: (version: string | null) => void } => ({ changed: () => undefined }))
vi.mock('./useDiskChanges.ts', () => ({
  useDiskChanges: ({ changed }: typeof disk) => void (disk.changed = changed),
}))

const part = (text: string, version: string): FilePart => {
  const bytes = new TextEncoder().encode(text)
  return { bytes, size: bytes.length, version, realPath: `${AGENT_HOME}/a.txt` }
}
beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(listEntries).mockResolvedValue({ truncated: false })
  vi.mocked(readPart).mockResolvedValue(part('one', 'v1'))
})
enableAutoUnmount(afterEach)

/** The page with a file in the editor. */
async function editing() {
  let page!: ReturnType<typeof useFilesPage>
  const Page = defineComponent(() => {
    page = useFilesPage(
      () => 'atlas',
      () => true,
    )
    return () => h('p')
  })
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: Page }] })
  await router.push({ path: '/', query: { file: '~/a.txt' } })
  mount(RouterView, { global: { plugins: [router] } })
  await flushPromises()
  if (page.file.value.state === 'ready') page.editing.begin(page.file.value)
  return { page, router }
}

it('what is typed while a changed file is read again stays, as a conflict', async () => {
  const { page } = await editing()
  const { promise, resolve } = Promise.withResolvers<FilePart>()
  vi.mocked(readPart).mockReturnValueOnce(promise)
  disk.changed('v2')
  page.editing.changed()
  resolve(part('two', 'v2'))
  await flushPromises()
  const { file, isDirty, isConflict } = page.editing
  expect([file.value?.openedAs, isDirty.value, isConflict.value]).toEqual(['v1', true, true])
})

it('a changed file is in the editor again if nothing was typed', async () => {
  const { page } = await editing()
  vi.mocked(readPart).mockResolvedValueOnce(part('two', 'v2'))
  disk.changed('v2')
  await flushPromises()
  const { file, isConflict } = page.editing
  expect([file.value?.text?.text, isConflict.value]).toEqual(['two', false])
})

it('what is typed while the file is moved stays, unless the user gives it up', async () => {
  const { page, router } = await editing()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  vi.mocked(moveFile).mockReturnValueOnce(promise)
  const moved = page.actions.move(`${AGENT_HOME}/a.txt`, `${AGENT_HOME}/b/a.txt`)
  await flushPromises()
  page.editing.changed()
  resolve(undefined)
  await moved
  await flushPromises()
  expect(asked.value?.title).toBe('Discard your changes of a.txt?')
  asked.value?.answer(false)
  await flushPromises()
  expect([page.editing.isDirty.value, router.currentRoute.value.query]).toEqual([true, { file: '~/a.txt' }])
})

it('a file that is opened from a search has its row in sight, so that the menu of the folders acts on it', async () => {
  const { page } = await editing()
  const folders: Record<string, TreeEntry[]> = {
    [AGENT_HOME]: [{ name: 'a', kind: 'folder' }],
    [`${AGENT_HOME}/a`]: [{ name: 'b.txt', kind: 'file' }],
  }
  vi.mocked(listEntries).mockImplementation((_, path, heard) => {
    heard({ type: 'entries', items: folders[path] ?? [] })
    return Promise.resolve({ truncated: false })
  })
  await page.tree.read(AGENT_HOME)
  await page.open(`${AGENT_HOME}/a/b.txt`, 7)
  await flushPromises()
  const row = page.tree.rows.value[page.tree.at.value]
  expect(row).toMatchObject({ type: 'entry', path: `${AGENT_HOME}/a/b.txt` })
})

it('a file that is gone with its folder can be opened by its address, and no row acts for it', async () => {
  const { page } = await editing()
  vi.mocked(listEntries).mockRejectedValue(new ApiError(404, 'FILE_NOT_FOUND', 'There is no such file or folder.'))
  await page.open(`${AGENT_HOME}/gone/b.txt`)
  await flushPromises()
  expect([page.tree.at.value, page.shown.value]).toEqual([-1, `${AGENT_HOME}/gone/b.txt`])
})

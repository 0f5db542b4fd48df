import { AGENT_HOME } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { uploadFile } from '@/api/files/files.ts'
import { listEntries, makeFolder, removeFile } from '@/api/files/fileTree.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { useFileActions } from './useFileActions.ts'
import { useTree } from './useTree.ts'

const toast = vi.hoisted(() => ({ add: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => toast }))
vi.mock('@/api/files/fileTree.ts', () => ({ listEntries: vi.fn(), makeFolder: vi.fn(), removeFile: vi.fn() }))
vi.mock('@/api/files/files.ts', async (original) => ({ ...(await original<object>()), uploadFile: vi.fn() }))

/** What the page asks the server for, in order. */
let asked: string[] = []
beforeEach(() => {
  setActivePinia(createPinia())
  asked = []
  toast.add.mockClear()
  vi.mocked(listEntries).mockImplementation((_key, path) => {
    asked.push(`read ${path}`)
    return Promise.resolve({ truncated: false })
  })
  vi.mocked(uploadFile).mockImplementation((_key, path) =>
    Promise.resolve(void asked.push(`send ${path}`)).then(() => ''),
  )
  vi.mocked(makeFolder).mockImplementation((_key, path) => Promise.resolve(void asked.push(`make ${path}`)))
})

const setUp = () =>
  effectScope().run(() => {
    const agentKey = () => 'atlas'
    const tree = useTree(agentKey)
    const mayChange = () => Promise.resolve(true)
    return { ...useFileActions({ agentKey, tree, mayChange, moved: () => undefined }), tree }
  })!

const dropped = {
  files: [{ file: new File([], 'index.html'), folder: 'site' }],
  emptyFolders: ['site/logs', 'site/cache/pages'],
}

it('makes the empty folders of a drop after its files, also if one is there already', async () => {
  const actions = setUp()
  vi.mocked(makeFolder).mockRejectedValueOnce(new ApiError(409, 'FILE_EXISTS', 'There is one.'))
  await actions.upload(`${AGENT_HOME}/web`, () => dropped)
  expect(asked).toEqual([
    'send ~/web/site/index.html',
    `make ${AGENT_HOME}/web/site/cache/pages`,
    `read ${AGENT_HOME}/web`,
    `read ${AGENT_HOME}/web`,
  ])
  expect(toast.add).not.toHaveBeenCalled()
})

it('says which empty folder could not be made, and tries no other', async () => {
  const actions = setUp()
  vi.mocked(makeFolder).mockRejectedValueOnce(new ApiError(409, 'FILE_REFUSED', 'The disk is full.'))
  await actions.upload(AGENT_HOME, () => dropped)
  expect(asked.filter((one) => one.startsWith('make'))).toEqual([])
  expect(toast.add).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ title: 'Could not make the folder logs', description: 'The disk is full.' }),
  )
})

it('says where a deleted file is, although the answer that named its place was lost', async () => {
  const actions = setUp()
  vi.mocked(removeFile).mockResolvedValueOnce(undefined)
  await actions.remove(`${AGENT_HOME}/notes`)
  const [notice] = toast.add.mock.calls[0] as [object]
  expect(notice).toMatchObject({ title: 'Deleted notes', description: expect.stringContaining('~/.slipway-trash') })
  expect(notice).not.toHaveProperty('actions')
})

it.each([
  ['the next row', 'b', 'c'],
  ['the row before, at the end of its folder', 'c', 'b'],
])('a deletion of the current row goes to %s', async (_, removed, next) => {
  const { tree, remove } = setUp()
  const entries = ['a', 'b', 'c'].map((name) => ({ name, kind: 'file' as const }))
  tree.folders.set(AGENT_HOME, { entries, isLoading: false, error: null, isCut: false, version: '1' })
  tree.current.value = `${AGENT_HOME}/${removed}`
  // The list of the folder may be read anew before the answer.
  vi.mocked(removeFile).mockImplementationOnce(async () => {
    await tree.read(AGENT_HOME)
    return null
  })
  await remove(`${AGENT_HOME}/${removed}`)
  expect(tree.current.value).toBe(`${AGENT_HOME}/${next}`)
})

it('a deletion of the last file in a folder goes to the folder, and one of another row stays where the user is', async () => {
  const { tree, remove } = setUp()
  const own = { isLoading: false, error: null, isCut: false, version: '1' }
  tree.folders.set(AGENT_HOME, { ...own, entries: [{ name: 'web', kind: 'folder' }] })
  tree.expand(`${AGENT_HOME}/web`)
  tree.folders.set(`${AGENT_HOME}/web`, { ...own, entries: [{ name: 'index.html', kind: 'file' }] })
  tree.current.value = `${AGENT_HOME}/web/index.html`
  vi.mocked(removeFile).mockResolvedValue(null)
  await remove(`${AGENT_HOME}/web/index.html`)
  expect(tree.current.value).toBe(`${AGENT_HOME}/web`)
  await remove(`${AGENT_HOME}/other`)
  expect(tree.current.value).toBe(`${AGENT_HOME}/web`)
})

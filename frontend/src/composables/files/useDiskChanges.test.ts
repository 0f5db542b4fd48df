import { AGENT_HOME, VERSION_PATHS_MAX } from '@slipway/protocol'
import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { listEntries, readVersions } from '@/api/files/fileTree.ts'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { COMPARED_FOLDERS_MAX, useDiskChanges } from './useDiskChanges.ts'
import { type Tree, useTree } from './useTree.ts'

vi.mock('@/api/files/fileTree.ts', () => ({ listEntries: vi.fn(), readVersions: vi.fn() }))
const polling = vi.hoisted(() => ({ look: () => Promise.resolve() }))
vi.mock('@/composables/requests/usePolling.ts', () => ({
  usePolling: (look: () => Promise<void>) => void (polling.look = look),
}))

/** More open folders than one look compares: their names are two digits, and they are empty. */
const NAMES = Array.from({ length: 99 }, (_, at) => String(at).padStart(2, '0'))
const at = (name: string): string => `${AGENT_HOME}/${name}`

/** The version that each folder has on the disk. */
const disk = new Map<string, string>()
let asked: string[][] = []
beforeEach(() => {
  disk.clear()
  asked = []
  vi.mocked(listEntries).mockImplementation((_key, path, heard) => {
    heard({ type: 'folder', path, version: disk.get(path) ?? '1' })
    const items = path === AGENT_HOME ? NAMES.map((name) => ({ name, kind: 'folder' as const })) : []
    heard({ type: 'entries', items })
    return Promise.resolve({ truncated: false })
  })
  vi.mocked(readVersions).mockImplementation((_key, paths) => {
    asked.push([...paths])
    return Promise.resolve(paths.map((path) => disk.get(path) ?? '1'))
  })
})

const setUp = async (): Promise<Tree> => {
  const tree = effectScope().run(() => {
    const made = useTree(() => 'atlas')
    useDiskChanges({ agentKey: () => 'atlas', tree: made, file: () => null, changed: vi.fn(), isWanted: () => true })
    return made
  })!
  await tree.read(AGENT_HOME)
  for (const name of NAMES) tree.expand(at(name))
  await vi.waitFor(() => expect(tree.isReading.value).toBe(false), PATIENTLY)
  return tree
}

it('a folder in view shows what changes in it, however many folders are open', async () => {
  const tree = await setUp()
  const last = tree.rows.value.length - 1
  tree.viewedBy(() => [last - 3, last])
  disk.set(at('98'), '2')
  await polling.look()
  await vi.waitFor(() => expect(tree.folders.get(at('98'))?.version).toBe('2'), PATIENTLY)
  expect(asked).toHaveLength(1)
  expect(asked[0]?.slice(0, 3)).toEqual([AGENT_HOME, at('97'), at('98')])
  expect(asked[0]?.length).toBe(COMPARED_FOLDERS_MAX)
  expect(COMPARED_FOLDERS_MAX).toBeLessThan(VERSION_PATHS_MAX)
})

it('the folders out of view are compared in turn, so that none is left out', async () => {
  await setUp()
  await polling.look()
  await polling.look()
  expect(new Set(asked.flat())).toEqual(new Set([AGENT_HOME, ...NAMES.map(at)]))
})

import { AGENT_HOME, type ListLine } from '@slipway/protocol'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { effectScope, nextTick } from 'vue'
import { listEntries } from '@/api/files/fileTree.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { useTree } from './useTree.ts'
import { useTreeKeys } from './useTreeKeys.ts'

vi.mock('@/api/files/fileTree.ts', () => ({ listEntries: vi.fn() }))

/** What the server says of each folder. */
const disk = new Map<string, readonly ListLine[]>()
const folder = (name: string) => ({ name, kind: 'folder' as const })
const file = (name: string) => ({ name, kind: 'file' as const })
const lines = (version: string, ...items: (ReturnType<typeof folder> | ReturnType<typeof file>)[]): ListLine[] => [
  { type: 'folder', path: '', version },
  { type: 'entries', items },
]

beforeEach(() => {
  disk.clear()
  disk.set(AGENT_HOME, lines('1', folder('a'), folder('b'), file('c.txt')))
  disk.set(`${AGENT_HOME}/a`, lines('2', folder('in')))
  disk.set(`${AGENT_HOME}/a/in`, lines('3', file('deep.txt')))
  disk.set(`${AGENT_HOME}/b`, lines('4'))
  vi.mocked(listEntries).mockImplementation((_key, path, heard, signal) => {
    const found = disk.get(path)
    if (found === undefined) return Promise.reject(new ApiError(404, 'FILE_NOT_FOUND', 'There is no such folder.'))
    for (const line of found) if (!signal.aborted) heard(line)
    return Promise.resolve({ truncated: false })
  })
})

const setUp = async () => {
  const tree = effectScope().run(() => useTree(() => 'atlas'))!
  await tree.read(AGENT_HOME)
  const shown = () =>
    tree.rows.value.map((row) => (row.type === 'entry' ? row.path.slice(AGENT_HOME.length + 1) : `(${row.note})`))
  return { tree, shown }
}

describe('the tree', () => {
  it('reads a folder when it is opened, and shows the way to a path', async () => {
    const { tree, shown } = await setUp()
    expect(shown()).toEqual(['a', 'b', 'c.txt'])
    await tree.reveal(`${AGENT_HOME}/a/in/deep.txt`)
    expect(shown()).toEqual(['a', 'a/in', 'a/in/deep.txt', 'b', 'c.txt'])
    expect(tree.inSight.value).toEqual([AGENT_HOME, `${AGENT_HOME}/a`, `${AGENT_HOME}/a/in`])
    tree.collapse(`${AGENT_HOME}/a`)
    expect(shown()).toEqual(['a', 'b', 'c.txt'])
    expect(tree.inSight.value).toEqual([AGENT_HOME])
    tree.expand(`${AGENT_HOME}/b`)
    await vi.waitFor(() => expect(shown()).toEqual(['a', 'b', '(empty)', 'c.txt']), PATIENTLY)
  })

  it('keeps the names of a folder that is read again, until the new ones are complete', async () => {
    const { tree, shown } = await setUp()
    disk.set(AGENT_HOME, lines('5', file('new.txt')))
    const reading = tree.read(AGENT_HOME)
    expect(shown()).toEqual(['a', 'b', 'c.txt'])
    await reading
    expect(shown()).toEqual(['new.txt'])
    expect(tree.folders.get(AGENT_HOME)?.version).toBe('5')
    disk.delete(AGENT_HOME)
    await tree.read(AGENT_HOME)
    expect(shown()).toEqual(['new.txt', '(failed)'])
  })

  it('forgets what was removed, with all below it', async () => {
    const { tree, shown } = await setUp()
    await tree.reveal(`${AGENT_HOME}/a/in/deep.txt`)
    tree.forget(`${AGENT_HOME}/a`)
    expect(shown()).toEqual(['a', 'b', 'c.txt'])
    expect([...tree.folders.keys()]).toEqual([AGENT_HOME])
  })
})

const withKeys = async () => {
  const { tree } = await setUp()
  const chosen: string[] = []
  const preventDefault = (): void => undefined
  const onKeydown = useTreeKeys(tree, {
    choose: ({ name }) => chosen.push(name),
    act: (act) => chosen.push(act),
  })
  const press = async (key: string): Promise<string> => {
    onKeydown({ key, timeStamp: 0, preventDefault, stopPropagation: preventDefault } as unknown as KeyboardEvent)
    await vi.waitFor(() => expect(tree.isReading.value).toBe(false), PATIENTLY)
    await nextTick()
    return (tree.current.value ?? '').slice(AGENT_HOME.length + 1)
  }
  return { tree, chosen, press }
}

describe('the keys of the tree', () => {
  it('do nothing with a row that is out of sight, and go back to the rows', async () => {
    const { tree, chosen, press } = await withKeys()
    tree.current.value = `${AGENT_HOME}/a/in/deep.txt`
    for (const key of ['F2', 'Delete', 'Enter', ' ', 'ArrowRight', 'ArrowLeft']) await press(key)
    expect([chosen, tree.current.value]).toEqual([[], `${AGENT_HOME}/a/in/deep.txt`])
    expect(await press('ArrowDown')).toBe('a')
    await press('Delete')
    expect(chosen).toEqual(['delete'])
  })

  it('move, open, close, choose, and find a name by its letters', async () => {
    const { chosen, press } = await withKeys()
    expect(await press('ArrowDown')).toBe('a')
    expect(await press('ArrowRight')).toBe('a')
    expect(await press('ArrowRight')).toBe('a/in')
    expect(await press('ArrowLeft')).toBe('a')
    expect(await press('ArrowLeft')).toBe('a')
    expect(await press('ArrowDown')).toBe('b')
    expect(await press('End')).toBe('c.txt')
    expect(await press('ArrowDown')).toBe('c.txt')
    expect(await press('Home')).toBe('a')
    expect(await press('c')).toBe('c.txt')
    await press('Enter')
    await press('F2')
    await press('Delete')
    expect(chosen).toEqual(['c.txt', 'rename', 'delete'])
  })
})

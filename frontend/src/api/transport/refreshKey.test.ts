import { afterEach, describe, expect, test, vi } from 'vitest'

afterEach(() => void vi.unstubAllGlobals())

/** Loads the module as a new tab does. Tabs share only the storage. */
const openTab = async (storage: unknown) => {
  vi.stubGlobal('localStorage', storage)
  vi.resetModules()
  return (await import('./refreshKey.ts')).refreshKey
}
const newStorage = () => {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    clear: () => items.clear(),
  }
}

describe('the refresh key', () => {
  test('is the same in every tab, and forgotten in every tab', async () => {
    const storage = newStorage()
    const [one, other] = [await openTab(storage), await openTab(storage)]
    one.keep('k1')
    expect(other.read()).toBe('k1')
    other.forget('k1')
    expect(one.read()).toBeNull()
  })

  test('of a newer sign-in is not forgotten for an older one', async () => {
    const storage = newStorage()
    const [one, other] = [await openTab(storage), await openTab(storage)]
    one.keep('k1')
    other.keep('k2')
    one.forget('k1')
    expect([one.read(), other.read()]).toEqual(['k2', 'k2'])
  })

  test('is gone where the user has cleared the storage', async () => {
    const storage = newStorage()
    const tab = await openTab(storage)
    tab.keep('k1')
    storage.clear()
    expect(tab.read()).toBeNull()
  })

  test('lasts as long as the page where the browser keeps no storage', async () => {
    const closed = new Proxy(
      {},
      {
        get: () => {
          throw new DOMException('denied', 'SecurityError')
        },
      },
    )
    const tab = await openTab(closed)
    expect(tab.read()).toBeNull()
    tab.keep('k1')
    expect(tab.read()).toBe('k1')
    tab.forget('k1')
    expect(tab.read()).toBeNull()
  })
})

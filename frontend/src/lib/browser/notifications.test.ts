import { afterEach, expect, test, vi } from 'vitest'
import { mayNotify, notify } from './notifications.ts'

/** Fakes a browser's notifications. `made` lists those that it has shown. */
function browser({ secure = true, permission = 'granted', constructs = true } = {}) {
  const made: string[] = []
  class Shown extends EventTarget {
    static readonly permission = permission
    constructor(title: string, options: NotificationOptions) {
      super()
      if (!constructs) throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification()')
      structuredClone(options.data)
      made.push(`${title}: ${options.body}`)
    }
  }
  Object.defineProperty(Shown.prototype, 'data', { value: null })
  vi.stubGlobal('isSecureContext', secure)
  vi.stubGlobal('Notification', Shown)
  return made
}

afterEach(() => vi.unstubAllGlobals())

test.each(['granted', 'denied', 'default'])('a browser that can notify says what it was told: %s', (permission) => {
  const made = browser({ permission })
  expect(mayNotify()).toBe(permission)
  expect(made).toEqual([])
})

test('without https the page’s address is named as the obstacle, with every permission of the browser', () => {
  browser({ secure: false, permission: 'denied' })
  expect(mayNotify()).toBe('insecure')
})

test('a browser that has no notifications, or leaves them to service workers, cannot show any', () => {
  const made = browser({ constructs: false })
  expect(mayNotify()).toBe('unsupported')
  notify('agent', 'waits', 'tag', () => undefined)
  expect(made).toEqual([])
  vi.unstubAllGlobals()
  vi.stubGlobal('isSecureContext', true)
  expect(mayNotify()).toBe('unsupported')
})

test('one is shown where it is allowed, and nowhere else', () => {
  const allowed = browser()
  notify('agent', 'waits', 'tag', () => undefined)
  expect(allowed).toEqual(['agent: waits'])
  const denied = browser({ permission: 'denied' })
  notify('agent', 'waits', 'tag', () => undefined)
  expect(denied).toEqual([])
})

import { afterEach, describe, expect, it, vi } from 'vitest'
import { openWebLink, webTargetOf } from './open.ts'

const AGENT = [
  'http://localhost:5173/',
  'https://localhost',
  'HTTP://LOCALHOST:3000/x',
  'http://localhost.:5173/',
  'http://app.localhost:5173/x?y#z',
  'http://a.b.localhost/',
  'http://127.0.0.1:8080/',
  'http://127.0.0.53/',
  'http://127.255.255.254/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://2130706433/',
  'http://0.0.0.0:8000/',
  'http://0:8000/',
  'http://[::1]:3000/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::]:3000/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:127.9.0.4]/',
  'http://[::ffff:0.0.0.0]/',
  'http://user:password@localhost/',
  'http://ｌｏｃａｌｈｏｓｔ/',
  'http:localhost',
]
const WEB = [
  'http://example.com',
  'https://example.com/a?b#c',
  'https://localhost.example.com/',
  'https://notlocalhost/',
  'https://127.0.0.1.example.com/',
  'http://128.0.0.1/',
  'http://10.0.0.127/',
  'http://192.168.0.2:5173/',
  'http://[::2]/',
  'http://[2001:db8::1]/',
  'http://[::ffff:128.0.0.1]/',
  'https://example.com/?to=http://localhost:5173/',
]
const NOTHING = [
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'vscode://x',
  'localhost:5173',
  'x',
  '',
]

afterEach(() => vi.unstubAllGlobals())

/** What the link opens, and what the user is told. */
const clicked = (text: string) => {
  const [opened, told] = [vi.fn(), vi.fn()]
  vi.stubGlobal('window', { open: opened })
  openWebLink(text, told)
  return { opened: opened.mock.calls, told: told.mock.calls }
}

describe('a link of a program', () => {
  it.each(AGENT)('to the machine that it runs on is only told: %s', (text) => {
    expect(webTargetOf(text)).toBe('agent')
    expect(clicked(text)).toEqual({ opened: [], told: [[text]] })
  })

  it.each(WEB)('to any other page is opened: %s', (text) => {
    expect(webTargetOf(text)).toBe('web')
    expect(clicked(text)).toEqual({ opened: [[text, '_blank', 'noopener,noreferrer']], told: [] })
  })

  it.each(NOTHING)('to anything else is text: %s', (text) => {
    expect(webTargetOf(text)).toBeNull()
    expect(clicked(text)).toEqual({ opened: [], told: [] })
  })
})

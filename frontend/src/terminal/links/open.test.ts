import { expect, test } from 'vitest'
import { isWebLink } from './open.ts'

test.each(['http://example.com', 'https://example.com/a?b#c'])('a web address is a link: %s', (text) => {
  expect(isWebLink(text)).toBe(true)
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vscode://x', 'example.com', ''])(
  'anything else is text: %s',
  (text) => {
    expect(isWebLink(text)).toBe(false)
  },
)

// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { blocksOf } from './markdown.ts'

const htmlOf = (text: string): string =>
  blocksOf(text)
    .map((block) => (block.kind === 'html' ? block.html : ''))
    .join('')

describe('the markdown of a model', () => {
  it('has its fences as code, also while the end of one has not arrived', () => {
    expect(blocksOf('Look:\n\n```ts\nconst a = 1\n```\n\nand')).toMatchObject([
      { kind: 'html' },
      { kind: 'code', code: 'const a = 1', language: 'ts' },
      { kind: 'html' },
    ])
    expect(blocksOf('```sh\nnpm te')).toEqual([{ kind: 'code', code: 'npm te', language: 'sh' }])
  })

  it('runs no script and loads no picture', () => {
    const html = htmlOf('<img src=x onerror=alert(1)> <script>alert(1)</script> ![a](https://evil.example/a.png)')
    expect(html).not.toMatch(/<(img|script)/)
    expect(htmlOf('[a](javascript:alert(1)) [b](data:text/html,x)')).not.toContain('href')
  })

  it('opens its links in a window of their own, without the address of this page', () => {
    expect(htmlOf('https://example.org')).toMatch(
      /<a href="https:\/\/example\.org" target="_blank" rel="noopener noreferrer"/,
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNKS_MAX, formatAnswer } from './answer.ts'
import { CHUNK_MAX, chunksOf } from './chunks.ts'
import { codeBlock, inline } from './clean.ts'
import { formatCodexLines } from './codex.ts'

const words = (count: number, word = 'word'): string => Array.from({ length: count }, () => word).join(' ')
const only = (text: string): string => {
  const { chunks, file } = formatAnswer(text)
  expect([chunks.length, file]).toEqual([1, null])
  return chunks[0]!
}

describe('an answer', () => {
  it('loses the colours and the other escape sequences of a terminal', () => {
    expect(only('\u001b[1;31mred\u001b[0m and \u001b]8;;http://a.example\u0007a link\u001b]8;;\u0007')).toBe(
      'red and a link',
    )
  })

  it('shows characters that hide text or turn its direction', () => {
    expect(only('safe\u202etxt.exe\u0000')).toBe('safe\ufffdtxt.exe\ufffd')
  })

  it('shows where a link leads, but leaves code alone', () => {
    expect(only('[your bank](http://evil.example/x)\n```\n[a](http://b.example)\n```')).toBe(
      'your bank (<http://evil.example/x>)\n```\n[a](http://b.example)\n```',
    )
  })

  it('has at most 1,900 characters in each message', () => {
    const { chunks } = formatAnswer(words(1800))
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.every(({ length }) => length <= 1900)).toBe(true)
    expect(chunks.join(' ').split(/\s+/)).toHaveLength(1800)
  })

  it('keeps a paragraph whole if it fits into a message', () => {
    const [first, second, third] = [words(200, 'one'), words(200, 'two'), words(300, 'three')]
    expect(formatAnswer(`${first}\n\n${second}\n\n${third}`).chunks).toEqual([`${first}\n\n${second}`, third])
  })

  it('closes a block of code at the end of a message and opens it again in the next one, with its language', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `const line${index} = ${index}`)
    const { chunks } = formatAnswer(`Look:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\nDone.`)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(chunk.match(/^```/gm)!.length % 2).toBe(0)
    expect(chunks[1]).toMatch(/^```ts\n/)
    const code = chunks.flatMap((chunk) => chunk.split('\n')).filter((line) => line.startsWith('const'))
    expect(code).toEqual(lines)
    expect(chunks.at(-1)).toMatch(/\n```\nDone\.$/)
  })

  it('is a file behind its beginning if it needs more than five messages', () => {
    const text = Array.from({ length: 40 }, () => words(60)).join('\n\n')
    const { chunks, file } = formatAnswer(text)
    expect(chunksOf(text).length).toBeGreaterThan(CHUNKS_MAX)
    expect([chunks.length, file]).toEqual([1, text])
  })

  it('that is empty is no message', () => {
    expect(formatAnswer(' \n\n ')).toEqual({ chunks: [], file: null })
  })
})

describe('JSON lines of Codex', () => {
  const line = (type: string, item: object): string => JSON.stringify({ type, item })
  const message = line('item.completed', { type: 'agent_message', text: 'Done.' })

  it('are formatted: messages, commands with their output, and changed files', () => {
    const output = [
      JSON.stringify({ type: 'thread.started', thread_id: 'x' }),
      line('item.started', { type: 'command_execution', command: 'ls', exit_code: null }),
      line('item.completed', { type: 'command_execution', command: 'ls', aggregated_output: 'a\nb\n', exit_code: 0 }),
      line('item.completed', { type: 'file_change', changes: [{ path: 'a.ts', kind: 'update' }] }),
      message,
    ].join('\n')
    expect(formatAnswer(output).chunks).toEqual([
      '```\n$ ls\na\nb\n```\nexit status 0\n\n```\nupdate a.ts\n```\n\nDone.',
    ])
  })

  it('tell why a turn failed', () => {
    expect(formatCodexLines(JSON.stringify({ type: 'turn.failed', error: { message: 'no key' } }))).toBe('⚠️ no key')
  })

  it('stay text if one line is something else', () => {
    const text = `${message}\nand then it said this`
    expect(formatAnswer(text).chunks).toEqual([text])
  })
})

describe('a text of an agent', () => {
  it('cannot leave its block of code', () => {
    expect(codeBlock('rm -rf /\n```\n@everyone')).toBe("```\nrm -rf /\n'''\n@everyone\n```")
  })

  it('in a line has no format, no mention and no link', () => {
    expect(inline('**bold** <@1> [a](b)\nnext', 100)).toBe(String.raw`\*\*bold\*\* \<\@1\> \[a\]\(b\) next`)
  })
})

describe('chunks', () => {
  const line = fc.oneof(
    fc.constantFrom('', '```', '```ts', '~~~', '````', '   ```', '``` x', '`'.repeat(3000)),
    fc.string({ maxLength: 60 }),
    fc.string({ minLength: 100, maxLength: 400, unit: 'grapheme' }),
  )

  it('are never too long and never empty, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 120, max: CHUNK_MAX }), (lines, max) => {
        for (const chunk of chunksOf(lines.join('\n'), max)) {
          expect(chunk.length).toBeLessThanOrEqual(max)
          expect(chunk.trim()).not.toBe('')
        }
      }),
    )
  })

  it('have all words of the text in their order', () => {
    const word = fc.stringMatching(/^[a-z]{1,300}$/)
    const row = fc.oneof(
      fc.constantFrom('', '```', '```js'),
      fc.array(word, { maxLength: 20 }).map((all) => all.join(' ')),
    )
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (lines) => {
        const letters = (text: string): string => text.replaceAll(/```(js)?|\s/g, '')
        expect(letters(chunksOf(lines.join('\n'), 200).join('\n'))).toBe(letters(lines.join('\n')))
      }),
    )
  })
})

import { PREPARATION_OUTPUT_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { Transcript } from './transcript.ts'

const after = (...chunks: readonly string[]): Transcript => {
  const transcript = new Transcript()
  for (const chunk of chunks) transcript.add(Buffer.from(chunk))
  return transcript
}

describe('the progress of git', () => {
  it.each([
    ['remote: Enumerating objects: 12, done.\n', { step: 'Enumerating objects', percent: null }],
    ['remote: Counting objects:  42% (5/12)\r', { step: 'Counting objects', percent: 42 }],
    ['Receiving objects:   7% (7/100), 1.20 MiB | 2.00 MiB/s\r', { step: 'Receiving objects', percent: 7 }],
    ['Receiving objects: 100% (9/9), done.\n', { step: 'Receiving objects', percent: 100 }],
    ['Updating files: 999% (9/9)\r', { step: 'Updating files', percent: 100 }],
  ])('is in %j', (text, progress) => {
    expect(after(text, 'next')).toMatchObject({ progress, text: 'next' })
  })

  it('is found however the output is cut', () => {
    const text =
      "Cloning into 'x'...\nremote: Counting objects:  50% (1/2)\rResolving deltas:  80% (4/5)\rfatal: gone\n"
    const transcript = after(...text.split(''))
    expect(transcript.progress).toEqual({ step: 'Resolving deltas', percent: 80 })
    expect(transcript.text).toBe('fatal: gone')
  })

  it('is none before git says anything', () => {
    expect(after('warning: redirecting\n')).toMatchObject({ progress: null, text: 'warning: redirecting' })
  })
})

describe('the output', () => {
  it('has the last characters', () => {
    const { text } = after(...Array.from({ length: 2000 }, (_none, line) => `line ${line}\n`))
    expect(text.length).toBeLessThanOrEqual(PREPARATION_OUTPUT_MAX)
    expect(text.endsWith('line 1998\nline 1999')).toBe(true)
  })

  it('has no line that was written over, and no character that controls a terminal', () => {
    const { text } = after(
      'one |\rtwo /\rdone\n',
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007\u202Ex\u0000\r\n',
      'a\tb',
    )
    expect(text).toBe('done\nred x\na  b')
  })

  it('never mixes the lines of two programs', () => {
    const transcript = new Transcript()
    transcript.add(Buffer.from('one '), 'a')
    transcript.add(Buffer.from('two\n'), 'b')
    transcript.add(Buffer.from('ends\nmore'), 'a')
    expect(transcript.text).toBe('two\none ends\nmore')
  })

  it('keeps a character that was cut, and bounds a line without an end', () => {
    const transcript = new Transcript()
    const bytes = Buffer.from('größer\n')
    transcript.add(bytes.subarray(0, 3))
    transcript.add(bytes.subarray(3))
    for (let time = 0; time < 100; time += 1) transcript.add(Buffer.from('x'.repeat(10_000)))
    expect(transcript.text).toBe(`größer\n${'x'.repeat(1000)}`)
  })
})

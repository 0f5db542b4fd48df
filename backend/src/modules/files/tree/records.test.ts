import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { RuntimeError } from '../../../runtime/errors.ts'
import { type RecordRules, recordsOf } from './records.ts'

const read = async (chunks: string[], rules: Partial<RecordRules> = {}): Promise<string[]> => {
  const output = Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1')))
  const found: string[] = []
  for await (const records of recordsOf(output, { separator: '\0', maxBytes: 5, ...rules })) found.push(...records)
  return found
}

describe('records', () => {
  it.each([
    [['one\0two\0'], ['one', 'two']],
    [
      ['o', 'ne\0t', 'wo', '\0'],
      ['one', 'two'],
    ],
    [['one\0', 'rest'], ['one']],
    [['\0\0'], ['', '']],
    [['\xe9\xff\n\0'], ['\xe9\xff\n']],
    [[], []],
  ])('of %j are %j', async (chunks, records) => {
    expect(await read(chunks)).toEqual(records)
  })

  it.each([[['toolong\0']], [['too', 'long']], [['ok\0toolong']]])(
    'that are too long are an error: %j',
    async (chunks) => {
      await expect(read(chunks)).rejects.toThrow(RuntimeError)
    },
  )

  it.each([
    [['a\0toolong\0b\0'], ['a', 'b'], 1],
    [['a\0too', 'long', 'er', 'er\0b\0'], ['a', 'b'], 1],
    [['toolong\0toolong\0b', 'c\0'], ['bc'], 2],
    [['toolong', 'x\0\0b\0'], ['', 'b'], 1],
  ])('that are too long are left out and counted where the caller wants it: %j', async (chunks, records, count) => {
    let long = 0
    expect(await read(chunks, { onLong: () => void (long += 1) })).toEqual(records)
    expect(long).toBe(count)
  })
})

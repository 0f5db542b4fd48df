import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { Version2 } from './version-2.ts'

const VERSION_3 = [
  '{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":1795600000,"title":"claude"}',
  '[0.000,"m","The program started"]',
  '#@ 0 0',
  '[0.125,"o","héllo \\u001b[31m🚀\\r\\n"]',
  '[10.005,"i","[1,\\"o\\",\\"x\\"]"]',
  '# a comment of another program',
  '[0.000,"r","100x30"]',
  '[0.870,"x","0"]',
  '[1.000,"m","The session ended"]',
  '#@ 20 12000',
]
const VERSION_2 = [
  '{"version":2,"width":80,"height":24,"timestamp":1795600000,"title":"claude","env":{"TERM":"xterm-256color"}}',
  '[0.000,"m","The program started"]',
  '[0.125,"o","héllo \\u001b[31m🚀\\r\\n"]',
  '[10.130,"i","[1,\\"o\\",\\"x\\"]"]',
  '[10.130,"r","100x30"]',
  '[12.000,"m","The session ended"]',
]
const fileOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

it.each([1, 2, 3, 7, 64, 1_000_000])('makes version 2 of version 3, read in pieces of %d bytes', async (size) => {
  const bytes = Buffer.from(fileOf(VERSION_3))
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  expect(await text(Readable.from(pieces).pipe(new Version2()))).toBe(fileOf(VERSION_2))
})

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claude } from '../claude.ts'

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'slipway-approve-'))))
afterEach(() => rmSync(home, { recursive: true }))

const file = () => join(home, '.claude.json')
const lock = () => `${file()}.lock`
const read = () => JSON.parse(readFileSync(file(), 'utf8')) as unknown
/** Runs the script as the container does, and settles with its exit code. */
const approve = (end: string): Promise<number> =>
  new Promise((resolve) => {
    const argv = ['--input-type=module', '-e', claude.keyApproval!.script]
    const script = execFile(process.execPath, argv, { env: { HOME: home } }, () => resolve(script.exitCode!))
    script.stdin!.end(end)
  })

describe('the approval of a key for Claude', () => {
  it('adds the key to the approved ones, and keeps everything else', async () => {
    writeFileSync(
      file(),
      JSON.stringify({ theme: 'dark', customApiKeyResponses: { approved: ['a'], rejected: ['b'] } }),
    )
    expect(await approve('b')).toBe(0)
    expect(read()).toEqual({ theme: 'dark', customApiKeyResponses: { approved: ['a', 'b'], rejected: [] } })
    expect(statSync(lock(), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('takes the lock that Claude takes, so that programs at the same time do not undo each other', async () => {
    const ends = Array.from({ length: 8 }, (_, index) => `end-${index}`)
    await Promise.all(ends.map(approve))
    const { customApiKeyResponses } = read() as { customApiKeyResponses: { approved: string[] } }
    expect(customApiKeyResponses.approved.sort()).toEqual(ends)
  })

  it('does not wait for the lock of a program that has ended', async () => {
    mkdirSync(lock())
    utimesSync(lock(), 0, 1)
    expect(await approve('a')).toBe(0)
    expect(read()).toEqual({ customApiKeyResponses: { approved: ['a'], rejected: [] } })
    expect(statSync(lock(), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('leaves a file alone that is not JSON', async () => {
    writeFileSync(file(), '{')
    expect(await approve('a')).toBe(1)
    expect(readFileSync(file(), 'utf8')).toBe('{')
    expect(statSync(lock(), { throwIfNoEntry: false })).toBeUndefined()
  })
})

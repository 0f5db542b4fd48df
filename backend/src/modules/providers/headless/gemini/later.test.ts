import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inLaterMinute } from './acp.ts'

const SESSION = '7421bf62-ac88-49ad-a255-367128d6ad15'
let home = ''

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'slipway-later-'))
  const put = (name: string, text: string): void => {
    writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(home, name), 0o755)
  }
  // A clock that stands at the eighth second, and a sleep that only says how long.
  put('date', 'echo 2026-11-26T14-24:08')
  put('sleep', 'echo "sleeps $1"')
  mkdirSync(join(home, '.gemini/tmp/developer/chats'), { recursive: true })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const started = (resume: string | null): string => {
  const [program = '', ...args] = inLaterMinute(resume, ['echo', 'started $(id)', '*'])
  return execFileSync(program, args, { env: { HOME: home, PATH: `${home}:/usr/bin:/bin` }, encoding: 'utf8' })
}

it('Gemini starts at once with a new session, and with one whose file is from another minute', () => {
  writeFileSync(join(home, '.gemini/tmp/developer/chats/session-2026-11-26T14-23-7421bf62.jsonl'), '')
  writeFileSync(join(home, '.gemini/tmp/developer/chats/session-2026-11-26T14-24-11111111.jsonl'), '')
  expect([started(null), started(SESSION)]).toEqual(['started $(id) *\n', 'started $(id) *\n'])
})

it('Gemini starts after the minute in which the file of its session was made', () => {
  writeFileSync(join(home, '.gemini/tmp/developer/chats/session-2026-11-26T14-24-7421bf62.jsonl'), '')
  expect(started(SESSION)).toBe('sleeps 53\nstarted $(id) *\n')
})

import { describe, expect, it } from 'vitest'
import { SESSION, OPTIONS } from '../../../../../test/support/headless/copilot.ts'
import { headless } from '../copilot.ts'

describe('the program of Copilot', () => {
  it('starts a named session, with its prompt on standard input alone', () => {
    const program = headless.program({ ...OPTIONS, model: 'auto' })
    expect(program.argv).toEqual([
      ...['copilot', '--output-format', 'json', '--allow-all-tools', '--model', 'auto'],
      ...['--session-id', OPTIONS.sessionId],
    ])
    expect(Buffer.from(program.stdin).toString()).toBe(OPTIONS.prompt)
    expect(program.env).toEqual({})
  })

  it('resumes a session by its id, and asks for its permissions unless they are skipped', () => {
    const { argv } = headless.program({ ...OPTIONS, resume: SESSION, skips: false })
    expect(argv).toEqual(['copilot', '--output-format', 'json', '--resume', SESSION])
  })

  it('does not answer an interrupt', () => expect(headless.answersInterrupt).toBe(false))
})

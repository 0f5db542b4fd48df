import { describe, expect, it } from 'vitest'
import { THREAD, OPTIONS, argvOf } from '../../../../../test/support/headless/codex.ts'
import { headless } from '../codex.ts'
import { KEY_ARGV } from './key.ts'

describe('the program of Codex', () => {
  it('starts a session without sandbox, with its prompt on standard input alone', () => {
    const program = headless.program(OPTIONS)
    expect(program.argv).toEqual([
      ...['codex', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--color', 'never', '-'],
    ])
    expect(Buffer.from(program.stdin).toString()).toBe(OPTIONS.prompt)
    expect(program.env).toEqual({})
  })

  it('resumes a session by its id, with the options before the command', () => {
    expect(argvOf({ resume: THREAD, model: 'gpt-6-luna' })).toEqual([
      ...['codex', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--color', 'never', '-m', 'gpt-6-luna', 'resume', THREAD, '-'],
    ])
  })

  it('only reads where permissions are not skipped, because its sandboxes do not work in a container', () => {
    const argv = argvOf({ skips: false })
    expect(argv).not.toContain('--dangerously-bypass-approvals-and-sandbox')
    expect(argv.join(' ')).toContain(' -s read-only ')
  })

  it('names the variable of the key only where there is a key, so that a sign-in works without one', () => {
    expect(argvOf({ hasKey: true }).join(' ')).toContain(` ${KEY_ARGV.join(' ')} -`)
    expect(KEY_ARGV.join(' ')).toContain('env_key="OPENAI_API_KEY"')
    expect(argvOf({ hasKey: false })).not.toContain('-c')
    expect(argvOf({})).not.toContain('-c')
  })

  it('does not answer an interrupt', () => expect(headless.answersInterrupt).toBe(false))
})

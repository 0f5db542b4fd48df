import { describe, expect, it } from 'vitest'
import { SESSION, OPTIONS } from '../../../../../test/support/headless/claude.ts'
import { headless } from '../claude.ts'

describe('the program of Claude', () => {
  it('starts a named session and skips the permission prompts', () => {
    expect(headless.program(OPTIONS).argv).toEqual([
      ...['claude', '-p', '--output-format', 'stream-json', '--verbose', '--session-id', SESSION],
      '--dangerously-skip-permissions',
    ])
  })

  it('resumes the given session, with a model and limits, and keeps the permission prompts', () => {
    const options = { ...OPTIONS, resume: 'abc', skips: false, model: 'opus', maxTurns: 3, maxBudgetUsd: 0.5 }
    expect(headless.program(options).argv).toEqual([
      ...['claude', '-p', '--output-format', 'stream-json', '--verbose', '--resume', 'abc'],
      ...['--permission-mode', 'default', '--model', 'opus', '--max-turns', '3', '--max-budget-usd', '0.5'],
    ])
  })

  it('reads the prompt on its standard input, so no argument contains it', () => {
    const prompt = '--help\nGrüße 😀'
    const { argv, stdin } = headless.program({ ...OPTIONS, prompt })
    expect(new TextDecoder().decode(stdin)).toBe(prompt)
    expect(argv.join(' ')).not.toContain('--help')
  })

  it('retries few times, so that a wrong key fails in seconds', () =>
    expect(headless.program(OPTIONS).env).toEqual({ CLAUDE_CODE_MAX_RETRIES: '4' }))

  it('prints a result when it is interrupted', () => expect(headless.answersInterrupt).toBe(true))
})

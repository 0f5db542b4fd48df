import { describe, expect, it } from 'vitest'
import { SESSION, OPTIONS, START } from '../../../../../test/support/headless/opencode.ts'
import { headless } from '../opencode.ts'

describe('the program of OpenCode', () => {
  it('names the model and the session to continue', () => {
    expect(headless.program(OPTIONS).argv).toEqual(START)
    const { argv } = headless.program({ ...OPTIONS, model: 'anthropic/claude-opus', resume: SESSION })
    expect(argv).toEqual([...START, '--model', 'anthropic/claude-opus', '-s', SESSION])
  })

  it('forks the session that it continues', () => {
    expect(headless.program({ ...OPTIONS, resume: SESSION, forks: true }).argv).toEqual([
      ...START,
      '-s',
      SESSION,
      '--fork',
    ])
  })

  it('has the prompt on its standard input alone, byte for byte', () => {
    const prompt = `größer 😀\n${'x'.repeat(300_000)}`
    const { argv, env, stdin } = headless.program({ ...OPTIONS, prompt })
    expect(new TextDecoder().decode(stdin)).toBe(prompt)
    expect(JSON.stringify([argv, env])).not.toContain('größer')
  })

  it('never sends the prompt to the free model of its maker', () => {
    for (const skips of [true, false]) {
      const { env } = headless.program({ ...OPTIONS, skips })
      expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT!)).toMatchObject({ disabled_providers: ['opencode'] })
      expect(env).toMatchObject({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' })
    }
  })

  it('may do everything where the agent skips permissions, and otherwise neither edit nor run commands', () => {
    const permissionOf = (skips: boolean): unknown =>
      JSON.parse(headless.program({ ...OPTIONS, skips }).env.OPENCODE_CONFIG_CONTENT!).permission
    expect(permissionOf(true)).toBe('allow')
    expect(permissionOf(false)).toEqual({ edit: 'deny', bash: 'deny' })
  })

  it('gives no answer to an interrupt', () => {
    expect(headless.answersInterrupt).toBe(false)
  })
})

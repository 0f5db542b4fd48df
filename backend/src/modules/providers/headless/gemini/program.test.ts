import { describe, expect, it } from 'vitest'
import { SESSION, OPTIONS, START } from '../../../../../test/support/headless/gemini.ts'
import { headless } from '../gemini.ts'

describe('the program of Gemini', () => {
  it('keeps the question about the folder, and skips permissions where the agent does', () => {
    expect(headless.program(OPTIONS).argv).toEqual([...START, '--yolo'])
    expect(headless.program({ ...OPTIONS, skips: false }).argv).toEqual(START)
  })

  it('names the model and the session to continue', () => {
    const { argv } = headless.program({ ...OPTIONS, skips: false, model: 'flash', resume: SESSION })
    expect(argv).toEqual([...START, '--model', 'flash', '--resume', SESSION])
  })

  it('has the prompt on its standard input alone, byte for byte', () => {
    const prompt = `größer 😀\n${'x'.repeat(300_000)}`
    const { argv, env, stdin } = headless.program({ ...OPTIONS, prompt })
    expect(new TextDecoder().decode(stdin)).toBe(prompt)
    expect(JSON.stringify([argv, env])).not.toContain('größer')
  })

  it('prints no colours, and gives no answer to an interrupt', () => {
    expect(headless.program(OPTIONS).env).toEqual({ NO_COLOR: '1' })
    expect(headless.answersInterrupt).toBe(false)
  })
})

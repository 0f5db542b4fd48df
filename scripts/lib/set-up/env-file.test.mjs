import { afterEach, describe, expect, it, vi } from 'vitest'
import { composeSetting, withVariables } from './env-file.mjs'

afterEach(() => vi.unstubAllEnvs())

describe('an .env file', () => {
  it('gets what it lacks and keeps what a person wrote', () => {
    const written = '# ours\nSLIPWAY_PORT=4800\nSLIPWAY_IMAGE=slipway:old\n\n'
    const result = withVariables(written, { SLIPWAY_IMAGE: 'slipway:new', SLIPWAY_DOCKER_GROUP: '998' })
    expect(result).toBe('# ours\nSLIPWAY_PORT=4800\nSLIPWAY_IMAGE=slipway:new\nSLIPWAY_DOCKER_GROUP=998\n')
    expect(withVariables(result, { SLIPWAY_DOCKER_GROUP: '998' })).toBe(result)
  })

  it('may be new', () => {
    expect(withVariables('', { A: '1' })).toBe('A=1\n')
  })

  it('is read as Compose reads it', () => {
    const text = ['A=1', ' export B = "two words" # ours', "C='#3'", 'D=4 # four', 'E=', '# F=6', 'A=x:y@z'].join('\n')
    const values = ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => composeSetting(text, name))
    expect(values).toEqual(['x:y@z', 'two words', '#3', '4', undefined, undefined])
    vi.stubEnv('D', 'of the environment')
    expect(composeSetting(text, 'D')).toBe('of the environment')
  })
})

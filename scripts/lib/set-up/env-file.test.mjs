import { describe, expect, it } from 'vitest'
import { withVariables } from './env-file.mjs'

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
})

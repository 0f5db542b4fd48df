import { describe, expect, it } from 'vitest'
import { toEvent } from './events.ts'
import { namesFor } from '../container/profile.ts'

const names = namesFor('slipway')
const event = (Action: string, attributes: Record<string, string> = {}) =>
  toEvent(
    names,
    JSON.stringify({
      Type: 'container',
      Action,
      Actor: { ID: 'c', Attributes: { 'slipway.agent': 'a', ...attributes } },
    }),
  )

describe('a line of the engine’s events', () => {
  it('is told in our words', () => {
    const about = { agentId: 'a', containerId: 'c' }
    expect(event('start')).toEqual({ type: 'started', ...about })
    expect(event('oom')).toEqual({ type: 'oom', ...about })
    expect(event('die', { exitCode: '137' })).toEqual({ type: 'died', ...about, exitCode: 137 })
    expect(event('destroy')).toEqual({ type: 'removed', ...about })
    expect(event('exec_die', { execID: 'e', exitCode: '1' })).toEqual({ type: 'exec_died', execId: 'e', exitCode: 1 })
  })

  it('is left out when it is of no interest', () => {
    for (const action of ['create', 'exec_create: sh', 'health_status: healthy', '']) expect(event(action)).toBeNull()
  })

  it.each(['{"Action":"die","Actor":{"ID":"c', '', 'null', '5', '[]', '{}', '{"Action":5}', '\u0000'])(
    'is left out when it is cut off or something else: %j',
    (line) => {
      expect(toEvent(names, line)).toBeNull()
    },
  )
})

import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { newEngineAgent } from './engine-agent.ts'

it.each(['http', 'https'])('the agent for %s is written out without its sockets, as for each request', (protocol) => {
  const agent = newEngineAgent(protocol)
  expect(inspect({ agent }, { showHidden: true, depth: null })).toBe('{ agent: EngineAgent }')
  agent.destroy()
})

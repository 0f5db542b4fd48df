import { expect, test } from 'vitest'
import { configOf } from './ssh-config.ts'

const address = { host: 'slipway.example.org', port: 4722, fingerprint: 'SHA256:abc', knownHosts: '' }

test('each agent has its lines for ~/.ssh/config', () => {
  expect(configOf(['atlas', 'one'], address)).toBe(
    [
      '# The key of the server is SHA256:abc. "slipway ssh-config --known-hosts" prints its line.\n',
      'Host atlas.slipway\n  HostName slipway.example.org\n  Port 4722\n  User atlas\n',
      'Host one.slipway\n  HostName slipway.example.org\n  Port 4722\n  User one',
    ].join('\n'),
  )
})

test.each([
  [['atlas\n  ProxyCommand touch x'], address],
  [['*'], address],
  [['-oProxyCommand'], address],
  [['atlas'], { ...address, host: 'host\nProxyCommand touch x' }],
  [['atlas'], { ...address, host: 'host %h' }],
  [['atlas'], { ...address, fingerprint: 'SHA256:abc\nProxyCommand touch x' }],
])('an answer that would begin a line of its own is refused: %j', (names, given) => {
  expect(() => configOf(names, given)).toThrow('cannot be read')
})

import { expect, test } from 'vitest'
import { commentOf, sshConfigOf } from './ssh.ts'

const address = { host: 'slipway.example.org', port: 4722, fingerprint: '', knownHosts: '' }

test('the lines for ~/.ssh/config lead to the agent', () => {
  expect(sshConfigOf('atlas', address)).toBe(
    'Host atlas.slipway\n  HostName slipway.example.org\n  Port 4722\n  User atlas',
  )
})

test.each([
  ['ssh-ed25519 AAAA ada@laptop', 'ada@laptop'],
  ['  ssh-ed25519\tAAAA  my new key \n', 'my new key'],
  ['ssh-ed25519 AAAA', ''],
  ['ssh-ed25519 AAAA one\nssh-ed25519 BBBB two', 'one'],
  ['', ''],
])('the comment of %j is %j', (line, comment) => {
  expect(commentOf(line)).toBe(comment)
})

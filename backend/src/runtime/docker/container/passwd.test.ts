import { expect, it } from 'vitest'
import { withUser } from './passwd.ts'

const ROOT = 'root:x:0:0:root:/root:/bin/bash'

it.each([
  ['the user of our image', [ROOT, 'developer:x:1000:1000::/home/developer:/bin/bash'], [ROOT], '/bin/bash'],
  [
    'another user with the id 1000, who keeps it',
    [ROOT, 'node:x:1000:1000::/home/node:/bin/zsh'],
    [ROOT, 'node:x:1000:1000::/home/node:/bin/zsh'],
    '/bin/zsh',
  ],
  ['a user with the id of the agent', [ROOT, 'taken:x:50007:1:::/bin/false'], [ROOT], '/bin/sh'],
  ['a developer with another id', [ROOT, 'developer:x:501:20::/Users/d:/bin/fish'], [ROOT], '/bin/fish'],
  ['entries that are cut off', [ROOT, 'developer', 'x:y'], [ROOT, 'x:y'], '/bin/sh'],
  ['nothing', [], [], '/bin/sh'],
])('names the user in a file with %s', (_what, lines, others, shell) => {
  const own = `developer:x:50007:1000::/home/developer:${shell}`
  for (const text of [lines.join('\n'), [...lines, ''].join('\n')])
    expect(withUser(text, 50_007)).toBe([...others, own, ''].join('\n'))
})

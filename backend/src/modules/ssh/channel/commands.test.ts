import { describe, expect, it } from 'vitest'
import { commandOf, isOwn, mayBeSet, SFTP, sizeOf, termOf } from './commands.ts'
import { refusalOfTarget } from './forward.ts'

describe('a command of a client', () => {
  it('is one argument, whatever is in it', () => {
    const line = `echo "$HOME" '; rm -rf ~' && \n $(id)`
    expect(commandOf(line)?.argv.at(-1)).toBe(line)
    expect(commandOf('a\0b')).toBeNull()
  })

  it.each([
    ['git-upload-pack /home/developer/made', 'git-upload-pack'],
    ['  /usr/bin/rsync --server', 'rsync'],
    ['TOKEN=hunter2 deploy', 'bash'],
    ['"my program" --secret', 'bash'],
    ['$(cat key)', 'bash'],
    ['', 'bash'],
    [`${'x'.repeat(300)} y`, 'bash'],
  ])('%j is recorded as %s', (line, name) => {
    expect(commandOf(line)?.name).toBe(name)
  })
})

describe('what a client sets', () => {
  it.each([
    ['LANG', 'de_DE.UTF-8', true],
    ['LC_ALL', 'C.UTF-8', true],
    ['TERM', 'xterm', true],
    ['PATH', '/tmp', false],
    ['LD_PRELOAD', '/tmp/x.so', false],
    ['LANGUAGE', 'de', false],
    ['LC_all', 'C', false],
    ['LANG', '() { :; }; id', false],
    ['LANG', 'x'.repeat(2000), false],
  ])('%s=%s: %s', (name, value, may) => {
    expect(mayBeSet(name, value)).toBe(may)
  })

  it('is a size that a terminal can have', () => {
    expect(sizeOf({ cols: 0, rows: 0 })).toEqual({ cols: 80, rows: 24 })
    expect(sizeOf({ cols: 4_294_967_295, rows: 1 })).toEqual({ cols: 1000, rows: 1 })
  })

  it('is a name of a terminal', () => {
    expect(['xterm-kitty', 'a;b', '', '\u001b[31m'].map(termOf)).toEqual([
      'xterm-kitty',
      ...Array<string>(3).fill('xterm-256color'),
    ])
  })
})

describe('a target of a forwarded connection', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '::1', '[::1]'])('%s is the agent itself', (host) => {
    expect(isOwn(host)).toBe(true)
  })

  it.each(['example.org', '127.0.0.2', '0.0.0.0', 'localhost.', 'localhost.example.org', '::ffff:127.0.0.1', ''])(
    '%j is not',
    (host) => {
      expect(refusalOfTarget({ destIP: host, destPort: 80 })).toContain('only ports of the agent itself')
    },
  )

  it('has a port', () => {
    expect([0, 65_536, 80].map((destPort) => refusalOfTarget({ destIP: 'localhost', destPort }))).toEqual([
      'a port is a number from 1 to 65535',
      'a port is a number from 1 to 65535',
      null,
    ])
  })
})

it('says which package is missing where an image has no sftp-server', () => {
  expect(SFTP.argv.join(' ')).toContain('openssh-sftp-server')
})

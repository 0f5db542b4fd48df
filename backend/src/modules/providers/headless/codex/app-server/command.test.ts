import { describe, expect, it } from 'vitest'
import { scriptOf } from './command.ts'

describe('the script of a command', () => {
  it.each([
    [`/bin/bash -lc 'touch x; ls'`, 'touch x; ls'],
    [`/bin/bash -lc "echo it's > x"`, `echo it's > x`],
    [`/bin/bash -lc "printf 'a\\\\n' \\"\\$HOME\\""`, `printf 'a\\n' "$HOME"`],
    [`bash -c ls`, 'ls'],
    [`/usr/bin/zsh -lc 'it'"'"'s'`, `it's`],
    [`/bin/bash -lc 'one\ntwo'`, 'one\ntwo'],
  ])('is what its shell gets: %s', (command, script) => expect(scriptOf(command)).toBe(script))

  it.each([
    '/bin/bash -lc',
    `/bin/bash -lc ''`,
    `/bin/bash -lc 'a' b`,
    `/bin/bash -lc "$(id)"`,
    '/bin/bash -lc `id`',
    `/bin/bash -lc 'open`,
    '/home/developer/bash -lc ls',
    'bash --rcfile x -c ls',
    'touch x',
  ])('is the whole command if it is not sure: %s', (command) => expect(scriptOf(command)).toBe(command))
})

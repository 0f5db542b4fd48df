import { describe, expect, it } from 'vitest'
import { checkRef, checkRepositoryUrl, folderOf } from './repository-url.ts'

describe('the address of a repository', () => {
  it.each([
    'https://github.com/harbour/api.git',
    'https://git.example.org:8443/a/b/c',
    'http://127.0.0.1:9000/repo.git',
    'ssh://git@git.example.org:22/harbour/api.git',
    'ssh://git.example.org/~ada/api',
    'git@github.com:harbour/api.git',
    'git@git.example.org:/srv/git/api.git',
  ])('may be %s', (url) => {
    expect(() => checkRepositoryUrl(url)).not.toThrow()
  })

  it.each([
    ['an option', '--upload-pack=touch /tmp/x'],
    ['an option without a space', '--upload-pack=id'],
    ['a transport helper', 'ext::sh -c id'],
    ['a transport helper without a space', 'ext::id'],
    ['a helper before an address', 'fd::17/x'],
    ['a file', 'file:///etc/passwd'],
    ['a folder', '/home/developer/.ssh'],
    ['a relative folder', '../other'],
    ['another protocol', 'git://git.example.org/x'],
    ['a protocol of old hosts', 'ftp://git.example.org/x'],
    ['a password', 'https://ada:secret@git.example.org/x'],
    ['a token as the user', 'https://ghp_0123@github.com/a/b'],
    ['a password for ssh', 'ssh://git:secret@git.example.org/x'],
    ['a token in the query', 'https://git.example.org/x?private_token=1'],
    ['a fragment', 'https://git.example.org/x#y'],
    ['a host alone', 'https://github.com/'],
    ['no host', 'https:///x'],
    ['a host that is an option of ssh', 'ssh://-oProxyCommand=id/x'],
    ['a user that is an option of ssh', 'ssh://-oProxyCommand=id@h/x'],
    ['a host of scp that is an option', 'git@-oProxyCommand=id:x'],
    ['a user of scp that is an option', '-oProxyCommand=id@h:x'],
    ['a path of scp that is an option', 'git@h:-x'],
    ['a host without a user', 'github.com:harbour/api'],
    ['a line feed', 'https://github.com/a\n--upload-pack=id'],
    ['an escape sequence', 'https://github.com/\u001b[31mred'],
    ['a mark that turns the text around', 'https://github.com/\u202egpj.exe'],
    ['a NUL', 'https://github.com/a\0b'],
    ['nothing', ' '],
  ])('is not %s', (_what, url) => {
    expect(() => checkRepositoryUrl(url)).toThrow(/^body\.repository\.url: /)
  })

  it('is not repeated by the error, since it may hold a secret', () => {
    expect(() => checkRepositoryUrl('https://ada:hunter2@git.example.org/x')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') as string }),
    )
  })
})

describe('a branch or a tag', () => {
  it.each(['main', 'v1.2.3', 'feature/login', 'fix/#12_a@b', 'größe', 'a+b=c'])('may be %s', (ref) => {
    expect(() => checkRef(ref)).not.toThrow()
  })

  it.each([
    '-b',
    '--upload-pack=id',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a//b',
    'a/',
    'a.',
    'a.lock',
    '/a',
    'a/.b',
    '@{-1}',
    'a\nb',
  ])('is not %j', (ref) => {
    expect(() => checkRef(ref)).toThrow('body.repository.ref')
  })
})

describe('the folder of a clone', () => {
  it.each([
    ['https://github.com/harbour/api.git', 'api'],
    ['git@github.com:harbour/api', 'api'],
    ['git@github.com:api.git', 'api'],
    ['https://git.example.org/a/b%20c/', 'b-c'],
    ['https://git.example.org/..', 'repository'],
    ['https://git.example.org/.git', 'repository'],
    ['https://git.example.org/-x', 'x'],
    ['https://git.example.org/%E0%A4%A', 'E0-A4-A'],
    [`https://git.example.org/${'x'.repeat(300)}`, 'x'.repeat(100)],
  ])('of %s is %s', (url, folder) => {
    expect(folderOf(url)).toBe(folder)
  })
})

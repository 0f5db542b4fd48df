import { BRANCH_PATTERN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { compareUrl, hostedOf, isGitHub, shownUrl } from './host.ts'

describe('the address of a remote', () => {
  it.each([
    ['https://github.com/harbour/api.git', 'github.com', 'harbour/api'],
    ['https://user:secret@github.com:8443/harbour/api', 'github.com', 'harbour/api'],
    ['ssh://git@gitlab.example.org:2222/team/sub/api.git', 'gitlab.example.org', 'team/sub/api'],
    ['git@github.com:harbour/api.git', 'github.com', 'harbour/api'],
  ])('%s names a repository on a host', (url, host, path) => expect(hostedOf(url)).toEqual({ host, path }))

  it.each([
    '/home/developer/remote.git',
    'file:///srv/api.git',
    'https://github.com/only',
    'https://github.com/a/../b',
    'git@host:/absolute/path',
    'ext::sh -c id',
    '',
  ])('%s names none', (url) => expect(hostedOf(url)).toBeNull())

  it('is shown without a password', () => {
    expect(shownUrl('https://me:token@github.com/a/b')).toBe('https://github.com/a/b')
    expect(shownUrl('git@github.com:a/b')).toBe('git@github.com:a/b')
  })
})

describe('the page on which a branch is proposed', () => {
  const page = (host: string, path = 'a/b'): string | null => compareUrl({ host, path }, 'main', 'fix/a#1')

  it('is that of the kind of host', () => {
    expect(page('github.com')).toBe('https://github.com/a/b/compare/main...fix/a%231?expand=1')
    expect(page('gitlab.example.org', 'a/b/c')).toContain('/a/b/c/-/merge_requests/new?merge_request%5B')
    expect(page('bitbucket.org')).toBe('https://bitbucket.org/a/b/pull-requests/new?source=fix%2Fa%231')
    expect(page('git.example.org')).toBeNull()
  })

  it('is GitHub’s for its own host, for companies, and for an owner and a name alone', () => {
    const hosts = ['github.com', 'github.example.org', 'acme.ghe.com', 'notgithub.com']
    expect(hosts.map((host) => isGitHub({ host, path: 'a/b' }))).toEqual([true, true, true, false])
    expect(isGitHub({ host: 'github.com', path: 'a/b/c' })).toBe(false)
  })
})

describe('the name of a branch', () => {
  const isName = (name: string): boolean => new RegExp(BRANCH_PATTERN).test(name)

  it('is one that git takes, and that no program takes for an option or a path', () => {
    for (const name of ['main', 'fix/login-1', 'a.b', 'v1.2_x+y#3']) expect(isName(name), name).toBe(true)
    const refused = [
      '',
      '-x',
      'a..b',
      'a//b',
      '/a',
      'a/',
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a.',
      'a b',
      'a~1',
      'a:b',
    ]
    for (const name of [...refused, 'a^', 'a?', 'a*', 'a[', 'a\\b', '@{u}', 'ä', 'a\n'])
      expect(isName(name), name).toBe(false)
  })
})

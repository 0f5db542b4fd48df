import { describe, expect, it } from 'vitest'
import { answerOf, originIn } from './question.ts'

describe('a question of git', () => {
  it.each([
    ['protocol=https\nhost=github.com\n\n', 'https://github.com'],
    [
      'protocol=https\nhost=git.example.org:8443\npath=a/b=c.git\nwwwauth[]=Basic realm="x"\n',
      'https://git.example.org:8443',
    ],
    ['host=GitHub.com\nprotocol=https\nusername=ada', 'https://github.com'],
    ['protocol=https\nhost=github.com:443\n', 'https://github.com'],
  ])('%j is about %s', (question, origin) => {
    expect(originIn(question)).toBe(origin)
  })

  it.each([
    'protocol=http\nhost=github.com\n',
    'protocol=https\n',
    'host=github.com\n',
    'protocol=https\nhost=\n',
    'protocol=https\nhost=github.com@evil.example\n',
    'protocol=https\nhost=github.com/../x\n',
    'protocol=https\nhost=github.com?x\n',
    'protocol=https\nhost=github.com\u0000\n',
    'protocol=https\r\nhost=github.com\r\n',
    'nonsense',
    '',
  ])('%j gets no answer', (question) => {
    expect(originIn(question)).toBeNull()
  })
})

describe('the answer', () => {
  it('has two lines', () => {
    expect(answerOf({ user: 'x-access-token', password: 's=cret' })).toBe('username=x-access-token\npassword=s=cret\n')
  })

  it('is empty without a token, and for what git would read as more than one answer', () => {
    expect(answerOf(null)).toBe('')
    expect(answerOf({ user: 'ada\nurl=https://evil.example', password: 'x' })).toBe('')
  })
})

import { describe, expect, it } from 'vitest'
import { changing, finding, opening, pullIn, refusalIn } from './github.ts'

const HOSTED = { host: 'github.com', path: 'harbour/api' }
const PULL = { number: 7, html_url: 'https://github.com/harbour/api/pull/7', draft: true, title: 'x', body: 'y' }

describe('a request by gh', () => {
  it('finds the open pull request of a branch of the same repository', () => {
    expect(finding(HOSTED, 'fix/a&b').argv.slice(-2)).toEqual([
      'github.com',
      'repos/harbour/api/pulls?state=open&head=harbour%3Afix%2Fa%26b&per_page=1',
    ])
    expect(finding(HOSTED, 'fix', 'all').argv.at(-1)).toContain('?state=all&')
  })

  it('has the texts of the user in its input, and none in its arguments', () => {
    const body = { branch: 'fix', base: 'main', title: '--web', body: '@/etc/passwd' }
    expect(opening(HOSTED, body)).toMatchObject({
      argv: ['gh', 'api', '--hostname', 'github.com', '-X', 'POST', 'repos/harbour/api/pulls', '--input', '-'],
      stdin: JSON.stringify({ title: '--web', head: 'fix', base: 'main', body: '@/etc/passwd', draft: true }),
    })
    expect(changing(HOSTED, 7, body)).toMatchObject({
      argv: expect.arrayContaining(['PATCH', 'repos/harbour/api/pulls/7']),
      stdin: JSON.stringify({ title: '--web', body: '@/etc/passwd' }),
    })
  })
})

describe('an answer of the host', () => {
  it('is a pull request, a list of them, or none', () => {
    const pull = { number: 7, url: PULL.html_url, title: 'x', body: 'y', draft: true, state: 'open' }
    expect(pullIn(JSON.stringify(PULL))).toEqual(pull)
    expect(pullIn(JSON.stringify([PULL]))).toEqual(pull)
    expect(pullIn(JSON.stringify({ ...PULL, body: null }))?.body).toBe('')
    expect(pullIn('[]')).toBeNull()
    expect(pullIn(JSON.stringify({ ...PULL, state: 'closed', merged_at: null }))?.state).toBe('closed')
    expect(pullIn(JSON.stringify({ ...PULL, state: 'closed', merged_at: '2026-11-27T00:00:00Z' }))?.state).toBe(
      'merged',
    )
  })

  it.each(['', 'null', '{}', '[null]', '{"number":"7"}', '{"number":7,"html_url":"javascript:alert(1)"}'])(
    'that is %s is none',
    (stdout) => expect(pullIn(stdout)).toBeUndefined(),
  )

  it('says why it refused, in a bounded text', () => {
    const stdout = JSON.stringify({
      message: 'Validation Failed',
      errors: [{ message: 'No commits between main and fix' }],
    })
    expect(refusalIn({ stdout, stderr: 'gh: x' })).toBe('Validation Failed: No commits between main and fix')
    expect(refusalIn({ stdout: '', stderr: 'connection refused\n' })).toBe('connection refused')
    expect(refusalIn({ stdout: '', stderr: 'x'.repeat(5000) })).toHaveLength(500)
  })
})

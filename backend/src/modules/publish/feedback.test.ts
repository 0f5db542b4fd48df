import { describe, expect, it } from 'vitest'
import { askingFeedback, feedbackIn } from './feedback.ts'

const comment = (id: string, more: object = {}) => ({
  ...{
    id,
    author: { login: 'grace' },
    authorAssociation: 'MEMBER',
    body: `About ${id}.`,
    url: `https://github.com/${id}`,
  },
  ...{ createdAt: '2026-11-26T10:00:00Z', ...more },
})
const nodes = (...all: object[]) => ({ totalCount: all.length, nodes: all })
const thread = (id: string, more: object = {}) => ({
  ...{ isResolved: false, isOutdated: false, path: 'src/a.ts', line: 4, originalLine: 3, comments: nodes(comment(id)) },
  ...more,
})
const checks = (...all: object[]) => ({ nodes: [{ commit: { statusCheckRollup: { contexts: nodes(...all) } } }] })
const run = (name: string, conclusion: string | null, more: object = {}) => ({
  ...{ __typename: 'CheckRun', id: `run-${name}`, name, status: conclusion === null ? 'IN_PROGRESS' : 'COMPLETED' },
  ...{ conclusion, detailsUrl: 'https://ci.example.org/1', title: null, summary: null, ...more },
})
const PULL = {
  ...{ url: 'https://github.com/harbour/api/pull/7', state: 'OPEN', reviewThreads: nodes(), reviews: nodes() },
  ...{ comments: nodes(), commits: { nodes: [{ commit: { statusCheckRollup: null } }] } },
}
const feedback = (more: object = {}, beside: object = {}) =>
  feedbackIn(JSON.stringify({ data: { repository: { pullRequest: { ...PULL, ...more } } }, ...beside }), 7)

describe('the feedback on a pull request', () => {
  it('is asked for in one request, whose texts are in its input', () => {
    const { argv, stdin } = askingFeedback({ host: 'github.com', path: 'harbour/api' }, 7)
    expect(argv.slice(0, 5)).toEqual(['gh', 'api', '--hostname', 'github.com', 'graphql'])
    expect(JSON.parse(stdin)).toMatchObject({ variables: { owner: 'harbour', name: 'api', number: 7 } })
  })

  it('has comments with their places, the oldest first, and none that is resolved, hidden or empty', () => {
    const found = feedback({
      reviewThreads: nodes(thread('late', { line: null, isOutdated: true }), thread('done', { isResolved: true })),
      reviews: nodes(
        comment('empty', { body: ' ' }),
        comment('whole', { createdAt: undefined, submittedAt: '2026-11-26T09:00:00Z' }),
      ),
      comments: nodes(
        comment('hidden', { isMinimized: true }),
        comment('stranger', { authorAssociation: 'NONE', author: null }),
      ),
    })
    expect(found?.comments.map(({ id, kind, path, line, isTrusted }) => [id, kind, path, line, isTrusted])).toEqual([
      ['whole', 'review', null, null, true],
      ['late', 'line', 'src/a.ts', 3, true],
      ['stranger', 'talk', null, null, false],
    ])
    expect(found).toMatchObject({ number: 7, state: 'open', resolved: 1, truncated: false })
  })

  it('has checks that fail, and counts the others', () => {
    const found = feedback({
      commits: checks(
        run('build', 'FAILURE', { title: '2 errors', summary: 'a.ts:1' }),
        run('lint', 'SUCCESS'),
        run('skipped', 'SKIPPED'),
        run('slow', null),
        {
          __typename: 'StatusContext',
          id: 's',
          context: 'ci/old',
          state: 'ERROR',
          description: 'No',
          targetUrl: 'javascript:1',
        },
      ),
    })
    expect(found?.checks).toEqual({
      failing: [
        {
          id: 'run-build',
          name: 'build',
          conclusion: 'failure',
          text: '2 errors\n\na.ts:1',
          url: 'https://ci.example.org/1',
        },
        { id: 's', name: 'ci/old', conclusion: 'error', text: 'No', url: null },
      ],
      passed: 2,
      pending: 1,
    })
  })

  it('says that checks are unknown if the token may not read them, and that there are none otherwise', () => {
    const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by personal access token' }]
    expect(feedback({}, { errors })?.checks).toBeNull()
    expect(feedback()?.checks).toEqual({ failing: [], passed: 0, pending: 0 })
  })

  it('shows what a text hides, within a bound, and says that there is more', () => {
    const body = `a\u202eb\u001b[2J\r\nc${'x'.repeat(3_000)}`
    const found = feedback({
      comments: { totalCount: 31, nodes: [comment('one', { body, url: 'javascript:alert(1)' })] },
    })
    expect(found?.comments[0]).toMatchObject({ url: null, text: expect.stringMatching(/^a\ufffdb\ufffd\[2J\ncx+$/) })
    expect(found?.comments[0]?.text.length).toBeLessThanOrEqual(2_000)
    expect(found?.truncated).toBe(true)
  })

  it.each(['', 'null', '{}', '{"data":{"repository":null}}', '{"data":{"repository":{"pullRequest":{"url":"x"}}}}'])(
    'is none if the host answers %s',
    (stdout) => expect(feedbackIn(stdout, 7)).toBeNull(),
  )

  it('takes any kind of value for any field', () => {
    for (const value of [null, 1, 'x', [], {}, [null], { nodes: null }, { nodes: [1, null, {}] }])
      for (const field of ['reviewThreads', 'reviews', 'comments', 'commits'])
        expect(feedback({ [field]: value })?.comments).toEqual([])
  })
})

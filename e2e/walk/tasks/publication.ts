/** What the server tells of the work of a task on its way into a pull request. */
import type { Publication, PullFeedback } from '@slipway/protocol'

const PUBLICATION: Publication = {
  ...{
    sessionId: 'ended',
    branch: 'slipway/fix-the-parser',
    commit: 'a1b2c3d4'.repeat(5),
    uncommitted: 0,
    base: 'main',
  },
  ...{ ahead: 2, pushed: true, compareUrl: 'https://github.com/harbour/api/compare/main...slipway/fix-the-parser' },
  remote: { name: 'origin', url: 'https://github.com/harbour/api.git', hasPullRequests: true },
  pullRequest: {
    ...{ number: 7, url: 'https://github.com/harbour/api/pull/7', title: 'Keep the last token', draft: true },
    ...{ createdAt: '2026-11-26T10:00:00.000Z', updatedAt: '2026-11-26T10:00:00.000Z' },
  },
  suggested: { branch: 'slipway/fix', message: 'Keep the last token\n\nAnd test it.', title: 'Keep it', body: 'Text' },
}
const FEEDBACK: PullFeedback = {
  ...{ number: 7, url: 'https://github.com/harbour/api/pull/7', state: 'open', resolved: 1, truncated: false },
  comments: [
    {
      ...{
        id: 'one',
        kind: 'line',
        author: 'grace',
        isTrusted: true,
        path: 'src/parser.ts',
        line: 12,
        isOutdated: true,
      },
      ...{
        text: 'Why not here?',
        url: 'https://github.com/harbour/api/pull/7#r1',
        createdAt: '2026-11-26T10:00:00.000Z',
      },
    },
  ],
  checks: {
    failing: [{ id: 'two', name: 'build', conclusion: 'timed_out', text: 'No answer', url: null }],
    ...{ passed: 3, pending: 1 },
  },
}

/** Before the commit, and once the pull request is open. */
export const PUBLICATIONS = {
  begun: { ...PUBLICATION, branch: 'main', uncommitted: 3, pushed: true, ahead: 0, pullRequest: null },
  proposed: PUBLICATION,
} as const satisfies Record<string, Publication>

/** The answer to a request below `publication`, or null. */
export const publicationAt = (pathname: string, publication: Publication): object | null => {
  if (pathname.endsWith('/publication')) return publication
  return pathname.endsWith('/publication/feedback') ? FEEDBACK : null
}

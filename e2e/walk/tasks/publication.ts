/** The work of a task on its way into a pull request: what the server tells of it, and the states of an open one. */
import type { ErrorBody, Publication, PullFeedback, PullText } from '@slipway/protocol'
import type { Page } from 'playwright'
import type { Given } from '../../support/network/intercept.ts'
import type { Visitor } from '../visitor.ts'

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

const TEXT: PullText = {
  ...{ number: 7, title: 'Keep the last token' },
  body: 'Closes #12.\n\n<!-- slipway ended -->\n\n- Cost: $0.42\n\nValidation: passed\n\n<!-- /slipway -->',
}
/** The pull request was merged since the page asked. */
const CLOSED: ErrorBody = {
  ...{ error: 'Conflict', code: 'PULL_REQUEST_CLOSED', statusCode: 409 },
  message:
    'Pull request #7 of this branch is merged, so it was not changed. Open another one, or choose another branch.',
}

/** The answer to a request below `publication`, or null. */
export const publicationAt = (method: string, pathname: string, publication: Publication): Given | null => {
  if (pathname.endsWith('/publication')) return { json: publication }
  if (pathname.endsWith('/publication/pull-request'))
    return method === 'GET' ? { json: TEXT } : { status: 409, json: CLOSED }
  return pathname.endsWith('/publication/feedback') ? { json: FEEDBACK } : null
}

/** An open pull request: what reviewers say of it, its text, and that it was merged when the page wants to change it. */
export const pullRequest = async (visitor: Visitor, page: Page): Promise<void> => {
  await page.getByTestId('publish-feedback').click()
  await page.getByTestId('feedback').last().waitFor()
  await visitor.see(page, 'task-feedback')
  await visitor.choose(page, 'publish-update')
  await page.getByTestId('publish-text').waitFor()
  await visitor.pass(page, 'task-publish-update')
  await visitor.choose(page, 'publish-pull-do')
  await visitor.choose(page, 'confirm-action')
  await page.getByTestId('publish-another').waitFor()
  await visitor.see(page, 'task-publish-closed')
}

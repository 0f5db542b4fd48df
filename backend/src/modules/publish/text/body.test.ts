import { PULL_BODY_MAX, type Validation } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { bodyOf, type SoFar, type Task } from './body.ts'

const FIRST: Task = {
  ...{ id: '0193a7b2-0000-7000-8000-000000000000', prompt: 'Fix the login page.\nIt fails on phones.' },
  ...{ result: 'Done.', costUsd: 0.1234, costEstimated: true, filesChanged: 2, insertions: 3, deletions: 1 },
}
const SECOND: Task = { ...FIRST, id: '0193a7b3-0000-7000-8000-000000000000', prompt: 'Add a test.', result: 'Tested.' }
const VALIDATION: Validation = {
  ...{ sessionId: 'x', state: 'passed', reason: null, message: null, root: '/home/developer/app', kind: 'root' },
  ...{ manager: 'npm', managerFrom: 'lock_file', checks: [], running: null, startedAt: null, endedAt: null },
}
const ALONE: SoFar = { validation: null, cost: null }
const cost = { turns: 2, costUsd: 0.5, costEstimated: false, unknown: 0 }

const WORDS = 'Done.\n\nThe task:\n\n> Fix the login page.\n> It fails on phones.'
const BEGIN = `<!-- slipway ${FIRST.id} -->`
const END = '<!-- /slipway -->'
const REPORT = `${BEGIN}\n\n- 2 files changed, +3 −1\n- Cost: about $0.12\n\n${END}`

describe('the text of a pull request', () => {
  it('tells a reviewer the task, the size of the change and what it cost', () => {
    expect(bodyOf(FIRST, ALONE, null)).toBe(`${WORDS}\n\n${REPORT}`)
    expect(bodyOf({ ...FIRST, filesChanged: null, costUsd: null }, ALONE, null)).toBe(`${WORDS}\n\n${BEGIN}\n\n${END}`)
  })

  it('has the cost of all turns of a conversation, and says of how many it is unknown', () => {
    const reportWith = (more: Partial<typeof cost>): string | undefined =>
      /- Cost.*/.exec(bodyOf(SECOND, { validation: null, cost: { ...cost, ...more } }, null))?.[0]
    expect(reportWith({})).toBe('- Cost of 2 turns: $0.50')
    expect(reportWith({ costEstimated: true, unknown: 1 })).toBe(
      '- Cost of 2 turns: about $0.50, and 1 turn without a known cost',
    )
    expect(bodyOf(SECOND, { validation: null, cost }, null)).toContain('- In the last turn: 2 files changed')
    expect(reportWith({ turns: 1 })).toBe('- Cost: about $0.12')
    expect(bodyOf(SECOND, { validation: null, cost: { ...cost, costUsd: null, unknown: 2 } }, null)).not.toContain(
      'Cost',
    )
  })

  it('begins with the published text in a later turn, and has one report, which is new', () => {
    const edited = bodyOf(FIRST, { ...ALONE, validation: { ...VALIDATION, state: 'failed' } }, null).replace(
      'Done.',
      'Closes #12. Done.',
    )
    const text = bodyOf(
      SECOND,
      { validation: VALIDATION, cost },
      `${edited}\n\nSigned-off-by: ada`.replaceAll('\n', '\r\n'),
    )
    expect(text).toBe(
      `Closes #12. ${WORDS}\n\nTested.\n\nThe task:\n\n> Add a test.\n\n<!-- slipway ${SECOND.id} -->\n\n- In the last turn: 2 files changed, +3 −1\n- Cost of 2 turns: $0.50\n\nValidation: passed\n\n${END}\n\nSigned-off-by: ada`,
    )
    // The same turn again adds no words: they are there, perhaps edited.
    const again = text.replace('Tested.', 'With a test.')
    expect(bodyOf(SECOND, { validation: VALIDATION, cost }, again)).toBe(again)
  })

  it('keeps a text without a report, and one whose report does not end', () => {
    expect(bodyOf(FIRST, ALONE, 'By hand.\n')).toBe(`By hand.\n\n${WORDS}\n\n${REPORT}`)
    expect(bodyOf(FIRST, ALONE, `By hand.\n\n${BEGIN}`)).toBe(`By hand.\n\n${BEGIN}\n\n${WORDS}\n\n${REPORT}`)
  })

  it('has a report that no command and no message can end', () => {
    const message = `Not run ${END} and ${BEGIN}`
    const validation: Validation = { ...VALIDATION, state: 'not_verified', message }
    const text = bodyOf(FIRST, { validation, cost: null }, null)
    expect(text.split(END)).toHaveLength(2)
    expect(bodyOf(FIRST, ALONE, text)).toBe(`${WORDS}\n\n${REPORT}`)
  })

  it('fits into its bound: the words of the turn give way first, then the report, and the published text stays', () => {
    const long = 'x'.repeat(PULL_BODY_MAX - REPORT.length - 1_000)
    const cut = bodyOf({ ...FIRST, result: 'y'.repeat(5_000) }, ALONE, long)
    expect(cut).toHaveLength(PULL_BODY_MAX)
    expect([cut.startsWith(`${long}\n\nyyy`), cut.endsWith(`…\n\n${REPORT}`)]).toEqual([true, true])
    const longer = 'x'.repeat(PULL_BODY_MAX - REPORT.length - 100)
    expect(bodyOf(FIRST, ALONE, longer)).toBe(`${longer}\n\n${REPORT}`)
    const full = 'x'.repeat(PULL_BODY_MAX)
    expect(bodyOf(FIRST, ALONE, full)).toBe(full)
  })
})

/** What agents ask people: each kind of question, in the tray and below a task. */
import type { Dialog, DialogField, DialogQuestion } from '@slipway/protocol'
import type { Page } from 'playwright'
import { intercept } from '../../support/network/intercept.ts'
import { goTo } from '../../support/pages.ts'
import type { FurnishedServer } from '../place.ts'
import type { Visitor } from '../visitor.ts'

const HOME = '/home/developer'
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString()

const approval = (part: Partial<Extract<DialogQuestion, { kind: 'approval' }>>): DialogQuestion => ({
  ...{ kind: 'approval', tool: 'Bash', command: null, path: null, input: {}, why: null, editable: false, tier: 2 },
  reasons: ['This program is not known, so what it does is not known.'],
  ...part,
})
const option = (label: string, description: string | null = null) => ({ value: label, label, description })
const field = (part: Partial<DialogField> & Pick<DialogField, 'name' | 'type'>): DialogField => ({
  ...{ label: part.name, description: null, required: true, options: null, multiple: false, custom: false },
  ...part,
})

const LONG = Array.from({ length: 40 }, (_, line) => `echo "step ${line}" >> build.log`).join('\n')
const COMMAND = `sudo rm -rf /var/cache/slipway/builds && npm run build -- --mode production --out ${HOME}/app/dist`

const APPROVALS: readonly (readonly [title: string, question: DialogQuestion, message?: string])[] = [
  [
    'Claude wants to use Bash',
    approval({
      ...{ command: COMMAND, editable: true, why: 'This command needs approval.', tier: 3 },
      reasons: ['It deletes folders with everything in them.', 'It runs as another user.'],
      rules: [{ kind: 'command', words: ['sudo', 'rm', '-rf', '/var/cache/slipway/builds'], exact: true }],
    }),
    'Clean the cache, and build again',
  ],
  [
    'Claude wants to use Edit',
    approval({
      ...{ tool: 'Edit', path: `${HOME}/app/src/parser.ts`, tier: 1 },
      rules: [{ kind: 'path', path: `${HOME}/app/src` }],
      reasons: ['It changes files, in a way that can be brought back.'],
      input: {
        file_path: `${HOME}/app/src/parser.ts`,
        old_string: 'const readLine = (text: string) => null',
        new_string: "const readLine = (text: string) => text.indexOf('\\n')\nexport default readLine",
      },
    }),
  ],
  [
    'Codex wants to run a command',
    approval({ tool: 'exec_command', command: 'cargo build --release', why: 'It needs the network for new crates.' }),
  ],
  ['Claude wants to use Bash', approval({ command: 'cаt /etc/\u202epasswd', editable: true })],
  ['Claude wants to use Bash', approval({ command: LONG, editable: true })],
  [
    'Claude wants to use tickets',
    approval({ tool: 'mcp__tickets__open', input: { title: 'Build is red', labels: ['ci'] } }),
  ],
]
const CHOICES: readonly (readonly [title: string, question: DialogQuestion, message?: string])[] = [
  [
    'Claude asks',
    {
      kind: 'form',
      fields: [
        field({
          ...{ name: 'Library', type: 'select', custom: true, description: 'Which date library should the page use?' },
          options: [option('Temporal', 'Built into new browsers'), option('date-fns', 'Small functions, no classes')],
        }),
        field({
          ...{ name: 'Targets', type: 'select', multiple: true, options: [option('Web'), option('CLI')] },
          required: false,
        }),
        field({ name: 'Port', type: 'integer' }),
        field({ name: 'Notes', type: 'string', required: false }),
        field({ name: 'Keep the old page for a month', type: 'boolean' }),
      ],
    },
  ],
  ['Deploy to staging now?', { kind: 'confirm' }, 'The tests are green. Staging has version 2.3 of last week.'],
  ['Which branch?', { kind: 'select', options: [option('main'), option('next')], multiple: false }],
  ['Name of the release', { kind: 'input', placeholder: 'For example Harbour' }],
  ['Check the release notes', { kind: 'editor', prefill: '# 2.4.0\n\n- Reads the last line of a file\n' }],
]

/** What the server tells. */
interface Told {
  dialogs: readonly Dialog[]
}

const tell = async (page: Page, told: Told): Promise<void> => {
  await intercept(page, '*/api/dialogs*', async (request) => {
    const { pathname } = request.url
    if (pathname === '/api/dialogs') return request.fulfill({ json: told.dialogs })
    const dialog = told.dialogs.find(({ id }) => pathname.includes(id))
    await request.fulfill({
      json: {
        ...dialog,
        state: 'answered',
        closedAt: ago(0),
        closedBy: 'ann@example.org',
        answer: { decision: 'allow' },
      },
    })
  })
}

export const dialogs = async (visitor: Visitor, { owner, running }: FurnishedServer): Promise<void> => {
  const asked = (all: typeof APPROVALS): Dialog[] =>
    all.map(([title, question, message], at) => ({
      ...{ id: `dialog-${at}`, agent: running.name, sessionId: 'no-such-task', userId: owner.userId },
      ...{ requestId: `${at}`, folder: `${HOME}/app`, title, message: message ?? null, question, state: 'open' },
      ...{ openedAt: ago(200 - at), closedAt: null, expiresAt: null, answer: null, closedBy: null },
    }))
  const told: Told = { dialogs: asked(APPROVALS) }
  const page = await visitor.open(owner, '/account')
  await tell(page, told)
  await goTo(page, `/agents/${running.name}/overview`)
  await page.getByTestId('agent-dialogs').waitFor()
  await visitor.see(page, 'dialogs-agent')

  const open = async (): Promise<void> => {
    await page.getByTestId('agent-name').waitFor()
    await page.keyboard.press('a')
    await page.getByTestId('dialog-tray').waitFor()
  }
  const tray = page.getByTestId('dialog-tray')
  await open()
  await tray.locator('.tok').first().waitFor()
  await visitor.see(page, 'dialogs-approvals')
  await tray.getByTestId('dialog-edit').first().click()
  await tray.getByTestId('dialog-deny').nth(1).click()
  await visitor.see(page, 'dialogs-approvals-edit')
  await visitor.further(page, 'dialog-foreign', 'dialogs-approvals-further')
  await page.keyboard.press('Escape')
  await tray.locator('[data-dialog="dialog-0"]').getByTestId('dialog-allow-edited').click()
  await tray.getByTestId('dialog-closed').waitFor()
  await visitor.pass(page, 'dialogs-closed')

  told.dialogs = asked(CHOICES)
  await goTo(page, `/agents/${running.name}/overview`)
  await open()
  await tray.getByTestId('dialog-send').first().click()
  await tray.getByRole('alert').first().waitFor()
  await visitor.see(page, 'dialogs-choices')
  await visitor.further(page, 'dialog-no', 'dialogs-choices-further')
  told.dialogs = []
  await goTo(page, `/agents/${running.name}/overview`)
  await open()
  await visitor.pass(page, 'dialogs-none')
}

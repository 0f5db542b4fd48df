/** Messages and forms in the words of Discord's API. Pure. */
import { GATE_REPAIRS_MAX, RUN_POLICIES, WORKTREE_MODES } from '@slipway/protocol'
import { FIELD_MAX } from '../chat/bounds.ts'
import type { ChatButton, ChatForm, Mark, Post } from '../chat/port.ts'

/** No preview of a page: its fetch would carry what a text of an agent put into the address. */
const SUPPRESS_EMBEDS = 4
/** Only the account that asked sees the message. */
export const EPHEMERAL = 64
/** Kinds of components, and styles of buttons. */
const [ACTION_ROW, BUTTON, TEXT_INPUT, LABEL] = [1, 2, 4, 18]
const STYLES: Readonly<Record<ChatButton['style'], number>> = { plain: 2, yes: 3, no: 4 }
const BUTTONS_PER_ROW = 5
const ROWS_MAX = 5

export const EMOJI: Readonly<Record<Mark, string>> = {
  queued: '⏳',
  running: '▶️',
  done: '✅',
  failed: '❌',
  locked: '🔒',
}

/** What a message says notifies no account. */
const QUIET = { allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS } as const

export const messageBody = ({ content, buttons }: Post) => ({
  ...QUIET,
  content,
  ...(buttons && { components: rowsOf(buttons) }),
})

/** An answer that only one account sees. */
export const hintBody = (content: string) => ({ ...QUIET, content, flags: EPHEMERAL | SUPPRESS_EMBEDS })

const rowsOf = (buttons: readonly ChatButton[]) => {
  const all = buttons.slice(0, BUTTONS_PER_ROW * ROWS_MAX)
  return Array.from({ length: Math.ceil(all.length / BUTTONS_PER_ROW) }, (_, row) => ({
    type: ACTION_ROW,
    components: all
      .slice(row * BUTTONS_PER_ROW, (row + 1) * BUTTONS_PER_ROW)
      .map(({ id, label, style }) => ({ type: BUTTON, style: STYLES[style], label, custom_id: id })),
  }))
}

export const modalBody = ({ id, title, fields }: ChatForm) => ({
  custom_id: id,
  title,
  components: fields.map((field) => ({
    type: LABEL,
    label: field.label,
    component: {
      type: TEXT_INPUT,
      custom_id: field.id,
      style: field.isLong ? 2 : 1,
      required: field.isRequired,
      max_length: FIELD_MAX,
      ...(field.value !== '' && { value: field.value }),
    },
  })),
})

/** Kinds of options. */
const [STRING, INTEGER, BOOLEAN] = [3, 4, 5]
const text = (name: string, description: string, more: object = {}) => ({ type: STRING, name, description, ...more })
const choices = (values: readonly string[]) => ({ choices: values.map((value) => ({ name: value, value })) })

/** The commands of the bot. `contexts: [0]`: in servers only. */
export const COMMANDS = [
  {
    name: 'code',
    description: 'Begin a conversation with an agent, in a thread',
    contexts: [0],
    options: [
      text('prompt', 'What the agent is to do', { required: true, max_length: 6000 }),
      text('agent', 'Which agent, if the channel has several', { max_length: 100 }),
      text('provider', "Which coding CLI, in place of the agent's own", { max_length: 100 }),
      text('model', 'Which model', { max_length: 100 }),
      text('folder', 'Where to work, below the home of the agent', { max_length: 1000 }),
      text('policy', 'When the CLI asks people', choices(RUN_POLICIES)),
      text('worktree', 'Whether it works in a git worktree of its own', choices(WORKTREE_MODES)),
      { type: BOOLEAN, name: 'validate', description: 'Whether checks run after each turn' },
      {
        ...{ type: INTEGER, name: 'repairs', min_value: 0, max_value: GATE_REPAIRS_MAX },
        description: 'How often each turn may repair its work until the checks pass',
      },
    ],
  },
  {
    name: 'link',
    description: 'Link your account to your Slipway user',
    contexts: [0, 1],
    options: [text('code', 'The code from your account page in Slipway', { required: true, max_length: 40 })],
  },
]

/** What `codex app-server` has to be told, in this order: who speaks, the thread, and the prompt. */
import type { Message, ReadOptions, UserMessage } from '../../headless.ts'
import { notificationLine, requestLine } from '../../parts/rpc.ts'

/** The ids of our requests. They are texts; those of Codex are numbers. */
export const IDS = {
  initialize: 'slipway-initialize',
  thread: 'slipway-thread',
  turn: 'slipway-turn',
  interrupt: 'slipway-interrupt',
} as const

/** Precedes the id of the message in that of a request which steers. */
const STEER = 'slipway-steer-'

/**
 * Pieces of texts that follow whole, and notifications that the driver does not use. A secret could be cut in two between two pieces, where masking
 * would not find it.
 */
const UNWANTED = [
  ...['item/agentMessage/delta', 'item/plan/delta', 'item/commandExecution/outputDelta', 'item/fileChange/outputDelta'],
  ...['item/reasoning/summaryTextDelta', 'item/reasoning/summaryPartAdded', 'item/reasoning/textDelta'],
  ...['item/fileChange/patchUpdated', 'item/mcpToolCall/progress', 'turn/diff/updated', 'thread/status/changed'],
  ...['account/rateLimits/updated', 'thread/readState/changed', 'remoteControl/status/changed'],
]

export const helloMessages = (): readonly Message[] => [
  {
    id: IDS.initialize,
    line: requestLine(IDS.initialize, 'initialize', {
      clientInfo: { name: 'slipway', title: 'Slipway', version: '1' },
      capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: UNWANTED },
    }),
  },
]

/**
 * Codex asks about every command that it does not take for harmless. Its own sandboxes do not work in a container. Neither can be
 * said in its settings.
 *
 * The folder must not be named. With a folder and full access, Codex takes the user for one who trusts the folder, says
 * so in its settings, and starts what a repository there brings. Without one, it works in the folder of the process.
 */
const ASKING = { approvalPolicy: 'untrusted', approvalsReviewer: 'user', sandbox: 'danger-full-access' } as const

export const threadMessages = ({ resume, forks = false, model = null }: ReadOptions): readonly Message[] => {
  const params = { ...ASKING, ...(model !== null && { model }) }
  const line =
    resume === null
      ? requestLine(IDS.thread, 'thread/start', params)
      : // All turns in one line could be too long to be read.
        requestLine(IDS.thread, forks ? 'thread/fork' : 'thread/resume', {
          ...params,
          threadId: resume,
          excludeTurns: true,
        })
  return [
    { id: 'initialized', line: notificationLine('initialized', {}) },
    { id: IDS.thread, line },
  ]
}

const inputOf = (text: string) => [{ type: 'text', text, text_elements: [] }]

export const promptMessage = (threadId: string, prompt: string): Message => ({
  id: IDS.turn,
  line: requestLine(IDS.turn, 'turn/start', { threadId, input: inputOf(prompt) }),
  once: true,
})

/** A message of the user, which Codex gives its model with the next request. It refuses one for another turn. */
export const steerLine = (threadId: string, expectedTurnId: string, { id, text }: UserMessage): string =>
  requestLine(`${STEER}${id}`, 'turn/steer', { threadId, expectedTurnId, input: inputOf(text) })

/** The id of the message that a request has given to the turn; null for any other request. */
export const steeredIn = (requestId: string | number): string | null =>
  typeof requestId === 'string' && requestId.startsWith(STEER) ? requestId.slice(STEER.length) : null

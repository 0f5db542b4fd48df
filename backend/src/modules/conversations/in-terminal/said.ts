/** Brings what was said in a terminal into the conversation whose session the terminal continued. */
import type { NewId } from '../../../lib/ids.ts'
import type { Log } from '../../../lib/log.ts'
import type { TerminalWords } from '../../runs/lease/words/words.ts'
import type { ConversationRepository } from '../repository.ts'
import type { TerminalWordsRepository } from './repository.ts'

export interface TerminalDeps {
  readonly conversations: Pick<ConversationRepository, 'byId'>
  readonly terminals: TerminalWordsRepository
  readonly words: Pick<TerminalWords, 'of'>
  readonly newId: NewId
  readonly log: Pick<Log, 'warn'>
}

export class SaidInTerminal {
  readonly #deps: TerminalDeps

  constructor(deps: TerminalDeps) {
    this.#deps = deps
  }

  /** Brings the words of the first terminal in that are not read yet. Answers whether it did. */
  async read(id: string): Promise<boolean> {
    const { conversations, terminals, words, newId, log } = this.#deps
    const row = await conversations.byId(id)
    const terminal = row && (await terminals.unread(row))
    if (!terminal || row.agentId === null || row.cliSessionId === null) return false
    const { agentId, provider, cliSessionId } = row
    const { startedAt: from, endedAt: to, userId, personal } = terminal
    // What a program with a user's own credential says is not for all who see the conversation.
    const said = personal
      ? []
      : await words.of({ agentId, userId, provider, cliSessionId, from, to }).catch((error: unknown) => {
          log.warn({ conversationId: id, err: error }, 'what was said in a terminal could not be read')
          return null
        })
    return (
      said !== null &&
      terminals.store(
        row,
        terminal,
        said.map((one) => ({ ...one, id: newId() })),
      )
    )
  }
}

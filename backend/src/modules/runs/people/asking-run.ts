/** A run that may ask people, as it is known to what asks them. */
import type { RunHappening, RunPolicy } from '@slipway/protocol'
import type { NewDialog } from '../../dialogs/repository.ts'
import type { HeadlessPeople, UserMessage } from '../../providers/headless/headless.ts'
import type { Held } from '../repository.ts'
import type { ProgramInput } from './input.ts'

export interface AskingRun {
  readonly held: Held
  readonly input: ProgramInput
  readonly reply: HeadlessPeople['reply']
  /** The line that gives its turn a message of its user. Null: it takes none. */
  readonly steering: (message: UserMessage) => string | null
  /** Called with each message of its user that its CLI has refused, perhaps again after a restart. */
  readonly untaken: (messageId: string) => void
  readonly policy: RunPolicy
  /** The working folder, an absolute path. */
  readonly folder: string
  /** What every dialog of the run says. */
  readonly about: () => Pick<NewDialog, 'agentId' | 'agentName' | 'personal' | 'folder'> & { readonly userId: string }
  /** Adds to the events of the run. */
  readonly add: (happening: RunHappening) => void
  /** Stores that a message is about to be sent. */
  readonly sending: (id: string) => Promise<void>
}

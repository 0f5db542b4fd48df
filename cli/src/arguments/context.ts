/** What a command has of the world around it. */
import type { Client } from '../api/client.ts'
import type { Output } from '../output/output.ts'

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: NodeJS.ReadStream
  readonly out: Output
  /** A client of the current server. Rejects with `NOT_SIGNED_IN`. */
  readonly client: () => Promise<Client>
  /** Aborted by Ctrl+C and by a request to end. */
  readonly interrupted: AbortSignal
}

/** What can go wrong with containers and is not a fault of ours. */

export type RuntimeErrorCode =
  | 'image_missing'
  | 'no_memory'
  | 'name_taken'
  | 'engine_unavailable'
  | 'not_found'
  | 'not_running'
  | 'timed_out'
  | 'start_failed'
  | 'bad_folder'
  /** The container cannot do it, for example because its image is of another architecture. */
  | 'unsupported'
  | 'engine_error'

/** A failure of the engine, told apart by `code`; `cause` keeps what the engine said. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly code: RuntimeErrorCode

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

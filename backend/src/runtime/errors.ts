/** Failures of containers and engines that are not bugs of Slipway. */

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
  /** The container cannot do this, for example because its image is for another architecture. */
  | 'unsupported'
  | 'engine_error'

/** A failure of the engine; `code` says which, and `cause` has the engine's error. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly code: RuntimeErrorCode

  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

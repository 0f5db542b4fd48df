/** The database could not be opened. The message tells the operator why. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError'
}

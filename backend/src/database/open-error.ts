/** The database could not be opened, for a reason that the message tells to the one who runs the server. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError'
}

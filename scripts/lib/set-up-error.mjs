/** A failure that the user can repair. Scripts print its message without a stack. */
export class SetUpError extends Error {
  name = 'SetUpError'
}

/** A failure that a person can do something about: scripts print its message without a stack. */
export class SetUpError extends Error {
  name = 'SetUpError'
}

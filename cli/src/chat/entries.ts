/** What a user types in a conversation: a message, or a command that begins with a slash. */

export type Entry =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'queue' }
  | { readonly kind: 'help' }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'steer'; readonly text: string }
  | { readonly kind: 'unknown'; readonly name: string }

export const HELP =
  'A line is the next message. /steer TEXT gives it to the turn that runs, /interrupt ends the turn, /queue lists what waits, /quit leaves. Two slashes begin a message with one.'

const COMMAND = /^\/(?<name>[a-z]{1,20})(?:\s+(?<rest>[^]*))?$/

export const entryOf = (typed: string): Entry => {
  const text = typed.trim()
  if (text === '') return { kind: 'nothing' }
  if (text.startsWith('//')) return { kind: 'say', text: text.slice(1) }
  const { name, rest = '' } = COMMAND.exec(text)?.groups ?? {}
  switch (name) {
    // A path, or the like.
    case undefined:
      return { kind: 'say', text }
    case 'steer':
      return rest.trim() === '' ? { kind: 'help' } : { kind: 'steer', text: rest.trim() }
    case 'interrupt':
    case 'queue':
    case 'help':
    case 'quit':
      return { kind: name }
    default:
      return { kind: 'unknown', name: `/${name}` }
  }
}

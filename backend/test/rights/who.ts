/** Those who ask: not signed in; signed in and a stranger to the agent; it is shared with them; its owner; an admin. */
export const PEOPLE = ['nobody', 'stranger', 'sharee', 'owner', 'admin'] as const
export type Who = (typeof PEOPLE)[number]

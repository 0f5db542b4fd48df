/**
 * Kinds of callers: not signed in; a user without access to the agent; a user with whom it is shared; its owner; an
 * admin.
 */
export const PEOPLE = ['nobody', 'stranger', 'sharee', 'owner', 'admin'] as const
export type Who = (typeof PEOPLE)[number]

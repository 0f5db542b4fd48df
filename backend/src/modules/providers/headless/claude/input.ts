/** What Claude reads while it may ask people. */

/** A message of the user. One that comes during a turn is read with the next result of a tool. */
export const userMessage = (text: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text }] },
})

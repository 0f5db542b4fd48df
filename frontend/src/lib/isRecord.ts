/** Whether a value, such as one that another version of this page has stored, has fields. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

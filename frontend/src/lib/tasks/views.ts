/** The views of one task. */
export const VIEWS = ['activity', 'timeline', 'changes', 'publish', 'raw'] as const
export type View = (typeof VIEWS)[number]

/** The view in the page's address; the activity by default. */
export const viewOf = (value: unknown): View => VIEWS.find((view) => view === value) ?? 'activity'

/** The number of the event in the page's address that the activity shows; null if there is none. */
export const stepOf = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null

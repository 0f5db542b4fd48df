/** The views of one task. */
export const VIEWS = ['activity', 'changes', 'raw'] as const
export type View = (typeof VIEWS)[number]

/** The view in the page's address; the activity by default. */
export const viewOf = (value: unknown): View => VIEWS.find((view) => view === value) ?? 'activity'

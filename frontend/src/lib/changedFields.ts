/**
 * Those fields of `next` that differ from `before`, with values as JSON has them. A form that sends only these leaves the
 * other fields as another window has set them meanwhile.
 */
export function changedFields<T extends object>(before: T, next: T): Partial<T> {
  const keys = Object.keys(next) as (keyof T)[]
  const isChanged = (key: keyof T): boolean => JSON.stringify(before[key]) !== JSON.stringify(next[key])
  return Object.fromEntries(keys.filter(isChanged).map((key) => [key, next[key]])) as Partial<T>
}

/** The fields of a form as the server has them now, except those that the user has changed since they were `before`. */
export const withChanges = <T extends object>(saved: T, before: T, now: T): T => ({
  ...saved,
  ...changedFields(before, now),
})

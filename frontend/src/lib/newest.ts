/** Puts a value into a map as the newest one, and drops the oldest ones beyond `max`. */
export function putNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key)
  map.set(key, value)
  for (const [oldest] of map) if (map.size > max) map.delete(oldest)
}

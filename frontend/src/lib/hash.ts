/** 53 bits of a text, which is no secret: cyrb53 (public domain). The browser's own digests need a secure context. */
export function hashOf(text: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 2654435761)
    two = Math.imul(two ^ unit, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909)
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36)
}

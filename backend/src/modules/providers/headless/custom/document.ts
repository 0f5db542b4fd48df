/** Finds the end of a JSON document that is printed over several lines, in a time that grows with its length only. */
/** Longest document, in UTF-16 code units: as long as a line of output may be. */
const DOCUMENT_MAX = 8_388_608

export class DocumentLines {
  #lines: string[] = []
  #length = 0
  #depth = 0
  #isInString = false
  #isEscaped = false

  /** Whether a document has begun and not ended. */
  get isOpen(): boolean {
    return this.#lines.length > 0
  }

  /** Adds a line. Answers the whole document if it ends with this line. A document that is too long is given up. */
  add(line: string): string | null {
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length > DOCUMENT_MAX) this.#clear()
    else this.#scan(line)
    if (this.#depth > 0 || this.#lines.length === 0) return null
    const text = this.#lines.join('\n')
    this.#clear()
    return text
  }

  #clear(): void {
    this.#lines = []
    this.#length = 0
    this.#depth = 0
    this.#isInString = false
    this.#isEscaped = false
  }

  #scan(line: string): void {
    for (let at = 0; at < line.length; at += 1) {
      const character = line.charAt(at)
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInString) {
        if (character === '\\') this.#isEscaped = true
        else if (character === '"') this.#isInString = false
      } else if (character === '"') this.#isInString = true
      else if (character === '{' || character === '[') this.#depth += 1
      else if (character === '}' || character === ']') this.#depth -= 1
    }
  }
}

/** Texts of programs in agents. They are shown to people, so they are data: without control characters and known secrets. */
import { Masking } from '../runs/output/masking.ts'

/** All control characters but the tab and the line feed. One of them begins a terminal's escape sequence. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
const REPLACEMENT = '\uFFFD'

const cleanText = (text: string): string => text.replaceAll('\r\n', '\n').toWellFormed().replace(CONTROLS, REPLACEMENT)

/** A JSON value with {@link REPLACEMENT} for each control character in a text, and `***` for each secret. */
export const cleaned = <T>(value: T, secrets: readonly string[]): T => {
  const masked = new Masking(secrets).mask(JSON.stringify(value))
  return JSON.parse(masked, (_key, one: unknown) => (typeof one === 'string' ? cleanText(one) : one)) as T
}

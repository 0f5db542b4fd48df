/** Text of agents, made harmless for a terminal. */

/**
 * Control characters, and characters that change the direction of a text or have no shape. A line feed, a tab, and the joiner
 * within a picture character are as they should be.
 */
const HIDDEN =
  /(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u3164\uffa0]/gu

/** A text of several lines. Each hidden character is in sight, as `�`, and without its effect. */
export const plain = (text: string): string => text.replaceAll('\r\n', '\n').replace(HIDDEN, '\ufffd')

/** The same in one line. */
export const plainLine = (text: string): string => plain(text).replace(/[\n\t]+/g, ' ')

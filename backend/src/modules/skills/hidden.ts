/** Texts that say to a model what a person does not see, or that a CLI would run. */

/**
 * Control characters, marks that change the direction of text, characters without a width, and the tags of Unicode, which
 * can spell a whole text. Tab, line feed, carriage return and the joiners of emoji and scripts are none.
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u

/** The first invisible character of a text, as `U+202E`; null if it has none. */
export const hiddenIn = (text: string): string | null => {
  const found = HIDDEN.exec(text)?.[0].codePointAt(0)
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Claude Code runs what is between such backticks when it loads a skill, without a question to the model. */
const COMMAND = /(?:^|\s)!`|^[ \t]*`{3,}!/m

/** Whether Claude Code would run a part of the instructions as a command. */
export const runsCommands = (body: string): boolean => COMMAND.test(body)

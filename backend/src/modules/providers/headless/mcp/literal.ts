/** Texts as they are, for the CLIs that replace variables in their settings. */

/**
 * Gemini and Copilot replace `$NAME` in all texts of their settings, and have no escape. But they do not look at what they
 * have put in the place of a variable, and a variable that is not set may have a default.
 */
export const DOLLAR = '${SLIPWAY_DOLLAR:-$}'

type Rewrite = (text: string) => string
export const literal: Rewrite = (text) => text.replaceAll('$', () => DOLLAR)

/** All values, rewritten. */
export const mapValues = (texts: Readonly<Record<string, string>>, rewrite: Rewrite): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, rewrite(text)]))

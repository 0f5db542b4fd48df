/** Rules in words. */
import { commandText, type RuleCovers, type RuleOwner } from '@slipway/protocol'

/** Longest text of a rule, in UTF-16 code units. */
const TEXT_MAX = 200

/** What a rule is about: `git push …`. */
export const textOfCovers = (covers: RuleCovers): string => {
  const text = wholeText(covers)
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX).toWellFormed()}…` : text
}

const wholeText = (covers: RuleCovers): string => {
  switch (covers.kind) {
    case 'command':
      return `${commandText(covers.words)}${covers.exact ? '' : ' …'}`
    case 'path':
      return covers.path
    case 'tool':
      return covers.tool
  }
}

const OWNERS: Readonly<Record<RuleOwner, string>> = {
  user: 'of its user',
  agent: 'of the agent',
  platform: 'of the platform',
}

/** The rules with their owners, as the end of a sentence. */
export const textOfRules = (rules: readonly { readonly of: RuleOwner; readonly covers: RuleCovers }[]): string =>
  rules.map(({ of, covers }) => `a rule ${OWNERS[of]}: ${textOfCovers(covers)}`).join('; ')

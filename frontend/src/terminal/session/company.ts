import type { Participant, PeopleFrame } from '@slipway/protocol'

/** Who is in a session, as one of them sees it. */
export interface Company {
  readonly you: Participant
  /** Whoever types; null while whose session it is, is away, and nobody else has control. */
  readonly controller: Participant | null
  readonly others: readonly Participant[]
  /** Others who ask for control. */
  readonly asking: readonly Participant[]
}

/** Null where the reader is not among them. */
export function companyOf({ you: own, people }: PeopleFrame): Company | null {
  const you = people.find(({ id }) => id === own)
  if (you === undefined) return null
  const others = people.filter(({ id }) => id !== own)
  return {
    you,
    controller: people.find(({ hasControl }) => hasControl) ?? null,
    others,
    asking: others.filter(({ asks }) => asks),
  }
}

/** Whether `you` may decide who has control: whoever has it, and whose session it is. */
export const mayGive = ({ you }: Company): boolean => you.hasControl || you.isHolder

/** Whether control may go from `you`, or by them, to that person. */
export const mayGiveTo = (company: Company, to: Participant): boolean =>
  mayGive(company) && to.mayControl && !to.hasControl

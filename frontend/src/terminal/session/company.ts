import type { Participant, PeopleFrame } from '@slipway/protocol'

/** The participants of a session, as one of them sees it. */
export interface Company {
  readonly you: Participant
  /** The participant with control. Null while the owner is away and no guest has control. */
  readonly controller: Participant | null
  readonly others: readonly Participant[]
  /** The other participants who ask for control. */
  readonly asking: readonly Participant[]
}

/** Null if the reader is not a participant. */
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

/** Whether `you` may pass on control: as the participant with control, or as the owner. */
export const mayGive = ({ you }: Company): boolean => you.hasControl || you.isHolder

/** Whether `you` may give control to that participant. */
export const mayGiveTo = (company: Company, to: Participant): boolean =>
  mayGive(company) && to.mayControl && !to.hasControl

/** What is asked before others see a pull request. */
import { withDirectionsInSight } from '@/lib/format/directions.ts'

const OTHERS = 'All who can read the repository see the title and the text.'

/** `isReady`: it is not opened as a draft. */
export const openQuestion = (isReady: boolean, branch: string, base: string) => ({
  title: isReady ? 'Open the pull request?' : 'Open the draft?',
  body: withDirectionsInSight(`From ${branch} into ${base}. ${OTHERS}`),
  action: 'Open',
})

export const updateQuestion = (number: number) => ({
  title: `Update #${number}?`,
  body: `The title and the text on the host are replaced. ${OTHERS}`,
  action: 'Update',
})

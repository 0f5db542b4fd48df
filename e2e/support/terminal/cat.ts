/** A program that shows each key it gets. */
import { until } from '@slipway/testing'
import { processesIn } from '../engine.ts'
import { PATIENCE_MS } from '../pages.ts'
import type { Screen } from '../screen.ts'

/** Starts it in the shell of the screen, and waits until it reads the terminal. */
export const startCat = async (screen: Screen, container: string): Promise<void> => {
  await screen.type('cat -v\n')
  const runs = async (): Promise<boolean> => (await processesIn(container)).includes('cat -v')
  await until('cat to run', runs, PATIENCE_MS)
}

/** The list of a todo tool. Its items have the same states in several CLIs. */
import type { RunHappening } from '@slipway/protocol'
import { bounded, listIn, textIn } from './json.ts'

type Item = Extract<RunHappening, { type: 'plan' }>['items'][number]

/** Most items of one list. */
export const PLAN_MAX = 200

/** An item with another state, such as a cancelled one, is no part of the plan. */
const STATES: ReadonlyMap<string, Item['state']> = new Map([
  ['pending', 'pending'],
  ['blocked', 'pending'],
  ['in_progress', 'in_progress'],
  ['completed', 'completed'],
])

/** The plan of a todo tool. `textField` names the field that holds the text of an item. */
export const planOf = (todos: unknown, textField: string): RunHappening => ({
  type: 'plan',
  items: listIn(todos)
    .slice(0, PLAN_MAX)
    .flatMap((todo): Item[] => {
      const state = STATES.get(textIn(todo.status) ?? '')
      const text = textIn(todo[textField])
      return state === undefined || text === null ? [] : [{ text: bounded(text), state }]
    }),
})

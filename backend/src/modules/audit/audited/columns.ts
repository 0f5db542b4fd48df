/**
 * What is recorded of a column:
 *
 * - `recorded`: its values before and after
 * - `secret`: only that it was set, changed or removed
 * - `fact`: its value is part of the events about the row: as actor, as target, or as a fact with a name
 * - `ignored`: nothing, because it says nothing that the event itself does not say
 */
export type Declaration = 'recorded' | 'secret' | 'fact' | 'ignored'
/** A declaration for each column of a model. */
export type Columns<Model> = Readonly<Record<keyof Model, Declaration>>

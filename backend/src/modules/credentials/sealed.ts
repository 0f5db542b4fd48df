/** What the rows of credentials, variables and connectors have in common. */
import { isForeignKeyViolation } from '../../database/errors.ts'

/** The encrypted value of a row, and who set it. */
export interface Sealed {
  readonly sealed: Uint8Array<ArrayBuffer>
  readonly keyId: string
  readonly setAt: Date
  /** The e-mail address of the user who set it; null if the account is gone. */
  readonly setBy: string | null
}

/** The columns of a {@link Sealed}. */
export const SEALED_COLUMNS = { sealed: true, keyId: true, setAt: true, setBy: { select: { email: true } } } as const

/** A row as the database answers it. */
export type Loaded<Row extends Sealed> = Omit<Row, 'setBy'> & { readonly setBy: { readonly email: string } | null }

/** The row with the e-mail address of the user who set it. */
export const withSetter = <Row extends { readonly setBy: { readonly email: string } | null }>(row: Row) => ({
  ...row,
  setBy: row.setBy?.email ?? null,
})

/** Null if the agent or the user to whom the row belongs is gone. */
export const unlessOwnerGone = async <Row>(written: Promise<Row>): Promise<Row | null> => {
  try {
    return await written
  } catch (error) {
    if (isForeignKeyViolation(error)) return null
    throw error
  }
}

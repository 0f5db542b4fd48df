/** The size of a terminal, in cells. */
export interface Size {
  readonly cols: number
  readonly rows: number
}

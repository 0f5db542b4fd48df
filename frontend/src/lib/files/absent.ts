/** What stands in place of a version if there must be no file. */
export const ABSENT = 'none'

/**
 * A test file that imports this module belongs to the long form: `npm test` leaves it out, unless it is named. A comment beside
 * the import says what the short form has instead.
 */
export {}

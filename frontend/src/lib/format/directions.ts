/** Bidirectional marks can make code, or a line of a log, look different from its content (CVE-2021-42574). */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g

/** The text with each such mark in sight, and without its effect. */
export const withDirectionsInSight = (text: string): string => text.replace(DIRECTIONS, '\ufffd')

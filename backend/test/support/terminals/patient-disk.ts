/**
 * Settings for the journals of a test that is not about a slow disk. Other tests copy hundreds of megabytes at the same
 * time.
 */
export const PATIENT = { writeTicks: 300 }

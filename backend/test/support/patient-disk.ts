/** For journals of a test that is not about a disk that hangs: other tests copy hundreds of megabytes at the same time. */
export const PATIENT = { writeTicks: 300 }

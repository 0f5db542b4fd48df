/** The tiers of commands, and why a command has its tier. */

/**
 * How much damage a command can do: 0 only reads; 1 changes what can be brought back; 2 may have effects outside of the
 * folder, or is not known; 3 destroys what cannot be brought back, or hides what it does.
 */
export type Tier = 0 | 1 | 2 | 3

/** The sentences that users read. */
export const REASONS = {
  reads: [0, 'It only reads.'],
  changes: [1, 'It changes files, in a way that can be brought back.'],
  builds: [1, 'It builds or tests the project.'],
  fetches: [1, 'It reads from the network.'],
  variable: [1, 'It sets a variable.'],
  unknown: [2, 'This program is not known, so what it does is not known.'],
  script: [2, 'It runs a script whose text is not shown here.'],
  code: [2, 'It runs code of another language.'],
  deletes: [2, 'It deletes files.'],
  moves: [2, 'It writes outside of the working folder.'],
  permissions: [2, 'It changes who may use files.'],
  otherUser: [2, 'It runs as another user.'],
  ends: [2, 'It ends programs.'],
  sends: [2, 'It sends data over the network.'],
  publishes: [2, 'Other people see what it changes.'],
  settings: [2, 'It changes settings that decide what later commands do.'],
  loader: [2, 'It sets a variable that decides what programs run.'],
  system: [2, 'It changes the system.'],
  services: [2, 'It acts on other services.'],
  history: [2, 'It changes the history or the branches of the repository.'],
  lookalike: [2, 'It contains characters that look like others, or that are not visible.'],
  unreadable: [2, 'It cannot be read completely.'],
  deletesAll: [3, 'It deletes folders with everything in them.'],
  deletesComputed: [3, 'It deletes files whose names are computed.'],
  disk: [3, 'It overwrites a disk or a file system.'],
  data: [3, 'It deletes data of a database or a service.'],
  loses: [3, 'It throws away work that was not committed, or rewrites what others have.'],
  release: [3, 'It publishes something that cannot be taken back.'],
  piped: [3, 'It runs what another program prints.'],
  computed: [3, 'The name of the program is computed, so what runs is not known.'],
  hidden: [3, 'It hides a command in a text or in a variable.'],
  bomb: [3, 'It starts itself again and again.'],
  long: [3, 'It is too long to be graded.'],
} as const satisfies Record<string, readonly [Tier, string]>
export type Reason = keyof typeof REASONS

export const tierOf = (reason: Reason): Tier => REASONS[reason][0]

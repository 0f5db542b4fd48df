/** Absolute paths of tests, by kind. See files.mjs. */
export declare const backendTests: () => Readonly<Record<'unit' | 'database' | 'engine', string[]>>
export declare const endToEndTests: () => Readonly<Record<'browser' | 'clients', string[]>>

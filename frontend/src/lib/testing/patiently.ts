/** For `vi.waitFor` in tests, which waits for a second by default. A busy machine may take that long to go on. Milliseconds. */
export const PATIENTLY = { timeout: 60_000 }

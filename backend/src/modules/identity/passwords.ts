/** Hashes passwords, a bounded number at a time. */
import { hash, verify } from '@node-rs/argon2'
import { QueueFullError, Semaphore } from '../../lib/semaphore.ts'
import { AppError } from '../../lib/errors.ts'
import { newSecret } from '../../lib/secrets/secrets.ts'

/** argon2id with OWASP's parameters: 19,456 KiB of memory, two passes, one lane. The library's algorithm default is argon2id. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** Concurrent hashes. Each takes 19 MiB and one of libuv's threads, which files and name look-ups need, too. */
const CONCURRENT_HASHES = 2
/** Waiting requests: at some 30 ms each the last is served after about three seconds. */
const MAX_WAITING = 200
/** When a client may retry if even the queue is full, in seconds. */
const RETRY_AFTER_SECONDS = 3

/** The two operations of argon2, so that a test can count them. */
export interface Argon2 {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
}

const argon2: Argon2 = {
  hash: (password) => hash(password, ARGON2),
  verify: (stored, password) => verify(stored, password),
}

/** Hashes and checks passwords. Both throw `TOO_MANY_REQUESTS` if too many requests wait already. */
export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * Calls `check` when its turn comes, with a function that compares. Without a stored hash that function compares with
   * the hash of a random secret: the same work, and the answer is always no.
   */
  compare<T>(
    stored: string | null,
    password: string,
    check: (matches: () => Promise<boolean>) => Promise<T>,
  ): Promise<T>
}

/** All users of one `Passwords` share its bounds. */
export function createPasswords(engine: Argon2 = argon2): Passwords {
  const semaphore = new Semaphore(CONCURRENT_HASHES, MAX_WAITING)
  let dummy: Promise<string> | undefined
  const dummyHash = () => (dummy ??= engine.hash(newSecret()))

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await semaphore.run(work)
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error
      throw new AppError('TOO_MANY_REQUESTS', 'The server is busy with sign-ins. Try again in a moment.', {
        cause: error,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
  }

  return {
    hash: (password) => bounded(() => engine.hash(password)),
    async compare(stored, password, check) {
      // Created before the first comparison of either kind, so that no single request is slower.
      const fallback = await dummyHash()
      return bounded(() =>
        check(async () => {
          const equal = await engine.verify(stored ?? fallback, password)
          return equal && stored !== null
        }),
      )
    },
  }
}

/** What the database's errors mean, told apart in one place: Prisma, its adapter and `pg` each have their own shape. */

/**
 * Prisma's codes for a database that does not answer: not reachable, timed out, closed, no connection or transaction
 * available.
 */
const GONE_PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028'])
/** The system's and PostgreSQL's codes for the same (57P..: shutting down, crashed, starting; 53300: too many connections). */
const GONE_SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH'])
const GONE_SERVER_CODES = new Set(['57P01', '57P02', '57P03', '53300'])
/** `pg` and our embedded pool report a lost connection by its message only. */
const GONE_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|the embedded database )/

/** What the adapter calls the same where Prisma has no code for it, as with a raw query. */
const GONE_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])

const UNIQUE_VIOLATION = 'P2002'
const FOREIGN_KEY_VIOLATION = 'P2003'

/** The shapes that errors have; every field may be missing. */
interface ErrorLike {
  readonly code?: unknown
  readonly name?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly meta?: {
    readonly driverAdapterError?: {
      readonly cause?: { kind?: unknown; originalCode?: unknown; constraint?: unknown }
    }
  }
}

function asErrorLike(error: unknown): ErrorLike {
  return typeof error === 'object' && error !== null ? error : {}
}

/** Whether the database was not reachable or disconnected, so that the same request may succeed later. */
export function isDatabaseGone(error: unknown): boolean {
  const { code, message, name, meta, cause } = asErrorLike(error)
  if (name === 'PrismaClientInitializationError') return true
  const codes = [code, meta?.driverAdapterError?.cause?.originalCode].filter((value) => typeof value === 'string')
  const kind = meta?.driverAdapterError?.cause?.kind
  if (typeof kind === 'string' && GONE_KINDS.has(kind)) return true
  const gone = [GONE_PRISMA_CODES, GONE_SOCKET_CODES, GONE_SERVER_CODES]
  if (codes.some((value) => gone.some((set) => set.has(value)))) return true
  if (typeof message === 'string' && GONE_MESSAGES.test(message)) return true
  return cause !== undefined && cause !== error && isDatabaseGone(cause)
}

/** Whether the database refused a row because another row has the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return asErrorLike(error).code === UNIQUE_VIOLATION
}

/**
 * Whether the database refused a change because a row that is referred to is missing, or because a row still refers to
 * this one.
 */
export function isForeignKeyViolation(error: unknown): boolean {
  return asErrorLike(error).code === FOREIGN_KEY_VIOLATION
}

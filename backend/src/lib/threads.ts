/**
 * The threads of the process (libuv's pool). Import it before everything else: the pool begins with its first work.
 *
 * A look-up of a name holds a thread until the system's resolver gives up, which no time limit of a request shortens. Half of
 * the threads take look-ups. With the usual four, two names without an answering name server would hold up those of all users, and
 * users choose the names of webhooks.
 */
const THREADS = 64

process.env['UV_THREADPOOL_SIZE'] ??= String(THREADS)

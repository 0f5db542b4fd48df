// The image's health check: 0 while the server can work, including the database and the container engine.
const port = process.env.SLIPWAY_PORT || '4700'
/** Below the check's own limit of 5 s, so that the reason is printed, in milliseconds. */
const WITHIN_MS = 4_000

try {
  const answer = await fetch(`http://127.0.0.1:${port}/api/health/ready`, { signal: AbortSignal.timeout(WITHIN_MS) })
  if (!answer.ok) process.stdout.write(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  process.stdout.write(String(error.cause?.code ?? error.message))
  process.exitCode = 1
}

// A session of Slipway in your own terminal: SLIPWAY_URL=https://... SLIPWAY_TOKEN=slp_... node terminal-client.mjs <agent> [mode]
// It reconnects by itself. Ctrl+] detaches: the session waits. When the program ends, the client ends with its exit code.
const { stdin, stdout, stderr, argv, env, exit } = process
const [agent, mode] = argv.slice(2)
const url = `${env.SLIPWAY_URL?.replace(/^http/, 'ws')}/api/agents/${agent}/terminal${mode ? `?mode=${mode}` : ''}`
const me = { type: 'auth', token: env.SLIPWAY_TOKEN, v: 2, client: crypto.randomUUID() }
const size = () => ({ cols: stdout.columns ?? 80, rows: stdout.rows ?? 24 })
let [socket, session, offset, acknowledged, end, silence, attempt, isOpen] = []
// Missing bytes of a screen, and whether any are missing. Bytes passed to the terminal, bytes drawn, and where replay ends.
let [screenLeft, isScreenMissing, taken, printed, restoredAt] = [0, false, 0, 0, 0]
const isLive = () => isOpen && !isScreenMissing && printed >= restoredAt
const send = (frame) => isOpen && socket.send(JSON.stringify(frame))
const resize = () => isLive() && send({ type: 'resize', ...size() })
const leave = (code, message = '') => (stdin.setRawMode?.(false), stderr.write(message, () => exit(code)))
const hear = (frame) => {
  if (frame.type === 'error') end = frame
  if (frame.type !== 'auth_success' && frame.type !== 'snapshot') return
  // If the server answers with another offset than ours, a screen comes next.
  isScreenMissing = frame.type === 'snapshot' ? frame.bytes > 0 : frame.resumed && frame.offset !== offset
  if (frame.type === 'auth_success') [session, attempt, isOpen] = [frame.sessionId, 0, true]
  offset = acknowledged = frame.offset
  screenLeft = frame.bytes ?? 0
  restoredAt = taken + screenLeft + (frame.replay ?? 0)
  resize()
}
const print = (bytes) => {
  if (isScreenMissing) isScreenMissing = (screenLeft -= bytes.length) > 0
  else offset += bytes.length
  taken += bytes.length
  const [upTo, wasLive] = [offset, isLive()]
  stdout.write(bytes, () => {
    printed += bytes.length
    if (!wasLive) resize()
    if (upTo - acknowledged >= 65_536 || upTo === offset) send({ type: 'ack', offset: (acknowledged = upTo) })
  })
}
const lost = ({ code }) => {
  clearTimeout(silence)
  socket.onmessage = socket.onclose = isOpen = null
  socket.close()
  const isOver = code === 1000 || (end && !['server_stopping', 'engine_unavailable'].includes(end.reason))
  if (isOver || !session) return leave(end?.exitCode ?? 1, `${end?.message ?? 'No connection'}\n`)
  setTimeout(connect, Math.min(250 * 2 ** attempt++, 15_000))
}
const connect = () => {
  end = undefined
  socket = Object.assign(new WebSocket(url), { binaryType: 'arraybuffer', onclose: lost })
  const has = { ...size(), session, offset: isScreenMissing ? undefined : offset }
  socket.onopen = () => socket.send(JSON.stringify({ ...me, ...has }))
  socket.onmessage = ({ data }) => {
    clearTimeout(silence)
    silence = setTimeout(lost, 40_000, { code: 1006 })
    return typeof data === 'string' ? hear(JSON.parse(data)) : print(Buffer.from(data))
  }
}
stdin.setRawMode?.(true)
// While earlier output is being drawn, this terminal's answers to it are not input.
stdin.on('data', (bytes) => (bytes.includes(0x1d) ? leave(0) : isLive() && socket.send(bytes)))
stdout.on('resize', resize)
connect()

/** Helpers that the tests of the backend, the end-to-end tests and the benchmarks share. */
export { emptyDatabaseFile, newDataDir, placeEmptyDatabase } from './data-dir.ts'
export { engineTime, removeNamespace } from './engine.ts'
export { freePort, isListening } from './port.ts'
export { type Pushed, type PushService, startPushService, type Subscription } from './push-service.ts'
export { type ClientOptions, disconnectAll, TerminalClient } from './terminal-client.ts'
export { type Closed, type SocketOptions, TerminalSocket } from './terminal-socket.ts'
export { actUntil, PATIENTLY, until } from './until.ts'

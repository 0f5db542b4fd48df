import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { groupOfSocket } from './engine-group.mjs'

/** A group id that no other file of a test has. */
const OTHER_GROUP = 54_321

let folder
let socket
beforeEach(() => {
  vi.stubEnv('SLIPWAY_DOCKER_SOCKET', undefined)
  folder = mkdtempSync(join(tmpdir(), 'slipway-socket-'))
  socket = join(folder, 'docker.sock')
  writeFileSync(socket, '')
  // Only root may give a file to any group.
  if (process.getuid?.() === 0) chownSync(socket, 0, OTHER_GROUP)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

it('the platform gets the group of the socket that .env names', () => {
  expect(groupOfSocket(`SLIPWAY_PORT=4800\nSLIPWAY_DOCKER_SOCKET=${socket}\n`)).toBe(String(statSync(socket).gid))
})

it('a socket of the environment comes before the one in .env, and one that is missing is named', () => {
  const missing = join(folder, 'missing.sock')
  vi.stubEnv('SLIPWAY_DOCKER_SOCKET', missing)
  expect(() => groupOfSocket(`SLIPWAY_DOCKER_SOCKET=${socket}\n`)).toThrow(`${missing} does not exist`)
})

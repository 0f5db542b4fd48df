import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HOST_KEY_FILE, hostKeyIn } from './host-key.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slipway-test-host-key-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

it('is made once, for its owner alone, and stays', () => {
  const key = hostKeyIn(join(dir, 'data'))
  expect(key).toContain('BEGIN OPENSSH PRIVATE KEY')
  expect(hostKeyIn(join(dir, 'data'))).toBe(key)
  expect(readdirSync(join(dir, 'data'))).toEqual([HOST_KEY_FILE])
  expect(statSync(join(dir, 'data', HOST_KEY_FILE)).mode & 0o777).toBe(0o600)
})

it('is not used if others may read it, or if it is no key', () => {
  hostKeyIn(dir)
  chmodSync(join(dir, HOST_KEY_FILE), 0o644)
  expect(() => hostKeyIn(dir)).toThrow(`${HOST_KEY_FILE} must be readable by its owner alone`)
  chmodSync(join(dir, HOST_KEY_FILE), 0o600)
  writeFileSync(join(dir, HOST_KEY_FILE), 'no key')
  expect(() => hostKeyIn(dir)).toThrow('holds no private key of SSH. Without the file, a new key is made')
  rmSync(join(dir, HOST_KEY_FILE))
  expect(hostKeyIn(dir)).toContain('BEGIN OPENSSH PRIVATE KEY')
})

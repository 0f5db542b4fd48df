import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { expect, it, vi } from 'vitest'
import { lockFile, withLock } from './lock.mjs'

const newName = () => `test-${randomUUID()}`
const onWait = () => {}

it('lets one run after the other', async () => {
  const name = newName()
  const events = []
  const waited = vi.fn()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers()
  const first = withLock(name, { onWait }, async () => {
    events.push('first begins')
    await mayEnd
    events.push('first ends')
  })
  const second = withLock(name, { onWait: waited }, async () => events.push('second'))
  end()
  await Promise.all([first, second])
  expect(events).toEqual(['first begins', 'first ends', 'second'])
  expect(waited).toHaveBeenCalledExactlyOnceWith(process.pid)
})

it('is free again after a failure', async () => {
  const name = newName()
  const failing = withLock(name, { onWait }, async () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(existsSync(lockFile(name))).toBe(false)
})

it('is taken over from a process that was killed', async () => {
  const name = newName()
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(lockFile(name), String(pid))
  await expect(withLock(name, { onWait }, async () => 'mine')).resolves.toBe('mine')
})

it('another user holds up the set-up of root: not with a file in the temporary folder, since locks are in a folder of their own user', async () => {
  const name = newName()
  const planted = join(tmpdir(), `slipway-${process.getuid?.() ?? 0}-${name}.lock`)
  // Process 1 never ends.
  writeFileSync(planted, '1')
  const waited = vi.fn()
  await withLock(name, { onWait: waited }, async () => {
    const { uid, mode } = statSync(dirname(lockFile(name)))
    expect([uid, mode & 0o022]).toEqual([process.getuid?.(), 0])
    expect(dirname(lockFile(name)).startsWith(tmpdir())).toBe(false)
  })
  rmSync(planted)
  expect(waited).not.toHaveBeenCalled()
})

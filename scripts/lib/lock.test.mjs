import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir, uptime } from 'node:os'
import { dirname, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { spawn, spawnSync } from 'node:child_process'
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

it('of an earlier boot is free, although another process has its id now', async () => {
  const name = newName()
  // Process 1 never ends.
  writeFileSync(lockFile(name), '1')
  const beforeBoot = Date.now() / 1_000 - uptime() - 60
  utimesSync(lockFile(name), beforeBoot, beforeBoot)
  const waited = vi.fn()
  await expect(withLock(name, { onWait: waited }, async () => 'mine')).resolves.toBe('mine')
  expect(waited).not.toHaveBeenCalled()
})

it('is waited for while its process runs', async () => {
  const name = newName()
  const owner = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'inherit'] })
  writeFileSync(lockFile(name), String(owner.pid))
  const waited = vi.fn(() => owner.stdin.end())
  await expect(withLock(name, { onWait: waited }, async () => 'mine')).resolves.toBe('mine')
  expect(waited).toHaveBeenCalledExactlyOnceWith(owner.pid)
})

it('is seen by an older version, which reads a number and nothing else', async () => {
  const name = newName()
  const content = await withLock(name, { onWait }, async () => readFileSync(lockFile(name), 'utf8'))
  expect(Number(content)).toBe(process.pid)
})

it('that is removed meanwhile does not fail what was done under it', async () => {
  const name = newName()
  await expect(withLock(name, { onWait }, async () => rmSync(lockFile(name)))).resolves.toBeUndefined()
})

it('leaves no other file in its folder, also when it is waited for', async () => {
  const name = newName()
  const filesOf = () => readdirSync(dirname(lockFile(name))).filter((file) => file.startsWith(name))
  const { promise: mayEnd, resolve: end } = Promise.withResolvers()
  const first = withLock(name, { onWait }, () => mayEnd)
  expect(await withLock(name, { onWait: () => end() }, async () => filesOf())).toEqual([`${name}.lock`])
  await first
  expect(filesOf()).toEqual([])
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

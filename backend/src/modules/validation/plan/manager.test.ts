import { describe, expect, it } from 'vitest'
import { managerOf } from './manager.ts'

const byFiles = (...files: string[]) => managerOf(null, new Set(files))

describe('the package manager', () => {
  it('is the one of the field packageManager, with or without a version, before any lock file', () => {
    for (const manager of ['npm', 'yarn', 'pnpm', 'bun'] as const) {
      const locks = new Set(['yarn.lock', 'package-lock.json'])
      expect(managerOf(`${manager}@4.1.0`, locks)).toEqual({ manager, from: 'packageManager' })
      expect(managerOf(manager, locks).manager).toBe(manager)
    }
  })

  it('is otherwise the one of the lock file', () => {
    expect(byFiles('yarn.lock')).toEqual({ manager: 'yarn', from: 'lock_file' })
    expect(byFiles('pnpm-lock.yaml').manager).toBe('pnpm')
    expect(byFiles('bun.lockb').manager).toBe('bun')
    expect(byFiles('bun.lock').manager).toBe('bun')
    expect(byFiles('package-lock.json').manager).toBe('npm')
  })

  it('is the first of several lock files: yarn, pnpm, bun, npm', () => {
    expect(byFiles('package-lock.json', 'bun.lock', 'pnpm-lock.yaml', 'yarn.lock').manager).toBe('yarn')
    expect(byFiles('package-lock.json', 'bun.lock', 'pnpm-lock.yaml').manager).toBe('pnpm')
    expect(byFiles('package-lock.json', 'bun.lock').manager).toBe('bun')
  })

  it('is pnpm where nothing names one', () => {
    expect(byFiles()).toEqual({ manager: 'pnpm', from: 'default' })
  })

  it('is not what a field names that is no manager', () => {
    expect(managerOf('cargo@1', new Set(['yarn.lock']))).toEqual({ manager: 'yarn', from: 'lock_file' })
    expect(managerOf('--help', new Set()).manager).toBe('pnpm')
  })
})

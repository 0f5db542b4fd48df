import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERROR_STATUS } from './errors.ts'

describe('the error codes', () => {
  it('are all in the documentation, with their status', () => {
    const page = readFileSync(new URL('../../docs/programs/api.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) +\|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ])
    expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS)
  })
})

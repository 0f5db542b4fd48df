import { describe, expect, it } from 'vitest'
import { holesIn } from './engine-holes.ts'

const codes = (version: string, build = '') =>
  holesIn([{ name: 'runc', version, build: build || version }]).map(({ code }) => code)
const OF_2025 = ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881']

describe('the known holes of an engine', () => {
  it.each([
    ['1.0.0-rc6', ['CVE-2019-5736', 'CVE-2024-21626', ...OF_2025]],
    ['1.1.11', ['CVE-2024-21626', ...OF_2025]],
    ['1.1.12', OF_2025],
    ['1.2.7', OF_2025],
    ['1.2.8', []],
    ['1.3.2', OF_2025],
    ['1.3.3', []],
    ['1.4.0-rc1', OF_2025],
    ['1.4.0', []],
    ['1.5.0', []],
    ['2.0.0', []],
    ['v1.3.3', []],
    ['unknown', []],
  ])('of runc %s are %j', (version, expected) => {
    expect(codes(version)).toEqual(expected)
  })

  it('are told for certain of a version of the project’s own', () => {
    const [first] = holesIn([{ name: 'runc', version: '1.1.11', build: 'v1.1.11-0-g4bccb38' }])
    expect(first).toMatchObject({ message: expect.stringContaining('runc 1.1.11 has CVE-2024-21626') as string })
  })

  it.each([
    ['1.1.5+ds1', '1.1.5+ds1-1+deb12u1'],
    ['1.1.5+ds1', ''],
    ['1.1.7-0ubuntu1~22.04.1', ''],
    ['1.1.9-2.el9', ''],
  ])('are a "may" for %s, which a distribution may have mended', (version, build) => {
    const found = holesIn([{ name: 'runc', version, build }])
    expect(found.length).toBeGreaterThan(0)
    for (const { message } of found) {
      expect(message).toContain(' may have CVE-')
      expect(message).not.toContain(' has CVE-')
    }
  })

  it('are none where the engine does not say what it is made of', () => {
    expect(holesIn([])).toEqual([])
    expect(holesIn([{ name: 'crun', version: '1.0.0', build: '' }])).toEqual([])
  })
})

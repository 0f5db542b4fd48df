import { describe, expect, it } from 'vitest'
import { OwedHangUps } from './owed-hang-ups.ts'

describe('hang-ups that are owed', () => {
  it('are made good once each, also if others fail', async () => {
    const paid: string[] = []
    const owed = new OwedHangUps((containerId, leader) => {
      paid.push(`${containerId} ${leader}`)
      return leader === '2:1' ? Promise.reject(new Error('no')) : Promise.resolve()
    })
    for (const leader of ['1:1', '2:1', '1:1', '3:1']) owed.add('c', leader)
    await owed.repay()
    await owed.repay()
    expect(paid).toEqual(['c 1:1', 'c 2:1', 'c 3:1'])
  })

  it('are owed again when the engine went away again', async () => {
    const owed: OwedHangUps = new OwedHangUps((containerId, leader) => {
      owed.add(containerId, leader)
      return Promise.reject(new Error('away'))
    })
    owed.add('c', '1:1')
    await owed.repay()
    expect(owed.size).toBe(1)
  })

  it('are bounded', () => {
    const owed = new OwedHangUps(() => Promise.resolve())
    for (let pid = 0; pid < 1_100; pid++) owed.add('c', `${pid}:1`)
    expect(owed.size).toBe(1_000)
  })
})

import { describe, expect, it } from 'vitest'
import { Graph } from './graph.ts'

const commit = (id: string, ...parents: string[]) => ({ id, parents })

describe('the graph of a log', () => {
  it('is one lane for a history without branches', () => {
    const rows = new Graph().add([commit('c', 'b'), commit('b', 'a'), commit('a')])
    expect(rows.map(({ lane, width, colour }) => [lane, width, colour])).toEqual([
      [0, 1, 0],
      [0, 1, 0],
      [0, 1, 0],
    ])
    expect(rows[0]?.lines).toEqual([{ from: 0, to: 0, colour: 0, half: 'bottom' }])
    expect(rows[2]?.lines).toEqual([{ from: 0, to: 0, colour: 0, half: 'top' }])
  })

  it('opens a lane at a merge, and closes it where the branch began', () => {
    const rows = new Graph().add([commit('m', 'b', 's'), commit('s', 'a'), commit('b', 'a'), commit('a')])
    expect(rows.map(({ lane, width }) => [lane, width])).toEqual([
      [0, 2],
      [1, 2],
      [0, 2],
      [0, 2],
    ])
    expect(rows[0]?.lines).toContainEqual({ from: 0, to: 1, colour: 1, half: 'bottom' })
    expect(rows[3]?.lines).toContainEqual({ from: 1, to: 0, colour: 1, half: 'top' })
  })

  it('goes on over pages, and gives a lane that became free to the next branch', () => {
    const graph = new Graph()
    graph.add([commit('x', 'a'), commit('y', 'b')])
    const rows = graph.add([commit('a'), commit('z', 'b'), commit('b')])
    expect(rows.map(({ lane }) => lane)).toEqual([0, 0, 0])
    expect(rows[2]?.lines).toEqual([
      { from: 0, to: 0, colour: 2, half: 'top' },
      { from: 1, to: 0, colour: 1, half: 'top' },
    ])
  })

  it('of ten thousand commits is drawn in a moment, with no more lanes than branches', () => {
    const commits = Array.from({ length: 10_000 }, (_, at) =>
      commit(`${at}`, `${at + 1}`, ...(at % 7 === 0 ? [`${at + 5}`] : [])),
    )
    const began = process.cpuUsage()
    const rows = new Graph().add(commits)
    expect(Math.max(...rows.map(({ width }) => width))).toBeLessThan(8)
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000)
  })
})

import { AGENT_HOME } from '@slipway/protocol'
import { expect, it, vi } from 'vitest'
import { http } from '../transport/client.ts'
import { removeFile } from './fileTree.ts'

vi.mock('../transport/client.ts', () => ({ http: { request: vi.fn() } }))

const path = `${AGENT_HOME}/notes`

it.each([
  ['in the trash', { encodedPath: encodeURIComponent('/home/t/notes') }, '/home/t/notes'],
  ['gone for good', { encodedPath: null }, null],
  ['gone, and the answer was lost', undefined, undefined],
])('a deleted file is %s', async (_, answer, place) => {
  vi.mocked(http.request).mockResolvedValueOnce(answer)
  expect(await removeFile('atlas', path)).toBe(place)
})

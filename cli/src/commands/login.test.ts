import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Context } from '../arguments/context.ts'
import { Output } from '../output/output.ts'
import { slipway } from '../slipway.ts'
import { LinesOut } from '../ui/testing/lines-out.ts'

type Answer = readonly [status: number, body: object] | 'lost'
const LOGIN = { deviceCode: 'device', userCode: 'AAAAA-BBBBB', path: '/device', intervalSeconds: 0, expiresAt: '' }
const PENDING: Answer = [200, { state: 'pending' }]
const ALLOWED: Answer = [200, { state: 'allowed', token: { token: 'slp_new' } }]
const GONE: Answer = [404, { code: 'INVALID_CODE', message: 'This code was used before.' }]

interface Place {
  readonly collect: readonly Answer[]
  readonly me?: readonly Answer[]
  /** The folder for the account; by default one that can be made. */
  readonly folder?: string
}

/** The end of `slipway login` with a code, on a server that gives these answers, one after the other. */
const login = async ({ folder = 'config', ...answers }: Place) => {
  const left: Record<string, Answer[]> = {
    '/api/device-logins': [[201, LOGIN]],
    '/api/device-logins/collect': [...answers.collect],
    '/api/users/me': [...(answers.me ?? [])],
  }
  const server = createServer((request, response) => {
    const answer = left[request.url ?? '']?.shift() ?? [500, {}]
    request.resume().once('end', () => {
      if (answer === 'lost') return response.destroy()
      const [status, body] = answer
      return response.writeHead(status).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const home = await mkdtemp(join(tmpdir(), 'slipway-login-'))
  onTestFinished(() => rm(home, { recursive: true }))
  await writeFile(join(home, 'file'), '')
  const config = join(home, folder)
  const stderr = new LinesOut()
  const context = {
    env: { XDG_CONFIG_HOME: config },
    stdin: { isTTY: true },
    out: new Output(new LinesOut(), stderr),
    // A command that waits for ever fails here.
    interrupted: AbortSignal.timeout(60_000),
  } as unknown as Context
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const code = await slipway(['login', '--server', url], context)
  const stored = await readFile(join(config, 'slipway', 'account.json'), 'utf8').catch(() => '')
  return { code, noted: stderr.text, stored, url }
}

test('a user whose token was lost on the way learns which one to revoke', async () => {
  const { code, noted, stored, url } = await login({ collect: [PENDING, 'lost', GONE] })
  expect([code, stored]).toEqual([3, ''])
  expect(noted).toContain(`revoke the new token under "Account" at ${url}. It is called "slipway on `)
})

test('a user whose code has expired has no token to revoke', async () => {
  const { code, noted } = await login({ collect: ['lost', PENDING, GONE] })
  expect(code).toBe(3)
  expect(noted).toContain('The code is not valid any more. Run "slipway login" again.')
  expect(noted).not.toContain('revoke')
})

test('a user is signed in although the server does not answer at first who they are', async () => {
  const { code, noted, stored } = await login({ collect: [ALLOWED], me: ['lost', [200, { email: 'ann@example.org' }]] })
  expect([code, stored]).toEqual([0, expect.stringContaining('slp_new')])
  expect(noted).toContain('as ann@example.org.')
  expect(noted).not.toContain('slp_new')
})

test('a token by code is kept although the server cannot say whose it is', async () => {
  const { code, noted, stored } = await login({ collect: [ALLOWED], me: [[500, {}]] })
  expect([code, stored]).toEqual([9, expect.stringContaining('slp_new')])
  expect(noted).toContain('The token is in ')
})

test('a user whose token cannot be stored learns that it is to be revoked', async () => {
  const { code, noted, url } = await login({ collect: [ALLOWED], folder: 'file' })
  expect(code).toBe(9)
  expect(noted).toContain(`The new token could not be stored. Revoke it under "Account" at ${url}.`)
})

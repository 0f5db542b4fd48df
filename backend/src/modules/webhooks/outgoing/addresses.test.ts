import { createServer, type Server } from 'node:http'
import type { lookup } from 'node:dns'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askStatus } from '../../credentials/probe/ask.ts'
import { Networks } from '../../credentials/probe/networks.ts'

let server: Server
let port: number
let calls = 0
beforeAll(async () => {
  server = createServer((_request, response) => {
    calls += 1
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const send = (url: string, networks = new Networks([])) =>
  askStatus({ url: new URL(url), headers: {}, body: '{}' }, networks, 3000)
const refused = { name: 'ForbiddenAddressError' }

/** A resolver that answers each of these in turn. */
const resolving = (answers: string[]): typeof lookup => {
  const answer = (_host: string, _options: object, done: (error: null, found: object[]) => void): void =>
    done(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }])
  return answer as unknown as typeof lookup
}

describe('a webhook', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['another loopback', '127.8.9.10'],
    ['loopback as a number', '2130706433'],
    ['loopback in hexadecimal', '0x7f000001'],
    ['loopback in octal', '0177.0.0.1'],
    ['loopback with two parts', '127.1'],
    ['loopback with other digits', '①②⑦.⓪.⓪.①'],
    ['loopback with a dot behind it', '127.0.0.1.'],
    ['any address of this machine', '0.0.0.0'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 any', '[::]'],
    ['IPv4 in IPv6', '[::ffff:127.0.0.1]'],
    ['IPv4 in IPv6, in hexadecimal', '[::ffff:7f00:1]'],
    ['IPv4 in IPv6, the old form', '[::7f00:1]'],
    ['a translated IPv4 address', '[64:ff9b::7f00:1]'],
    ['a 6to4 address', '[2002:7f00:1::]'],
    ['a name of this machine', 'localhost'],
    ['a name below it', 'any.localhost'],
    ['a name with a dot behind it', 'localhost.'],
    ['the private network 10', '10.0.0.1'],
    ['the private network 172.16', '172.31.255.255'],
    ['the private network 192.168', '192.168.1.1'],
    ['the network of a carrier', '100.64.0.1'],
    ['link-local', '169.254.1.1'],
    ['the metadata of a cloud', '169.254.169.254'],
    ['the metadata of a cloud over IPv6', '[fd00:ec2::254]'],
    ['the metadata of a cloud, mapped', '[::ffff:169.254.169.254]'],
    ['a unique local address', '[fd12:3456::1]'],
    ['IPv6 link-local', '[fe80::1]'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['a name that does not exist', 'nowhere.invalid'],
  ])('does not call %s', async (_what, host) => {
    const before = calls
    await expect(send(`http://${host}:${port}/`)).rejects.toMatchObject(refused)
    await expect(send(`https://${host}/`)).rejects.toMatchObject(refused)
    expect(calls).toBe(before)
  })

  it('calls a private host that the operator allows, and never the metadata of a cloud', async () => {
    const allowed = new Networks(['127.0.0.1', '169.254.0.0/16', '100.64.0.0/10', '192.0.0.0/24', '::/0'])
    expect(await send(`http://127.0.0.1:${port}/`, allowed)).toBe(200)
    const v4 = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192']
    const v6 = ['[fe80::1]', '[fd00:ec2::254]', '[64:ff9b::169.254.169.254]', '[::ffff:168.63.129.16]']
    for (const host of [...v4, ...v6]) await expect(send(`http://${host}/`, allowed)).rejects.toMatchObject(refused)
  })

  it('looks a name up once: no second answer leads the connection elsewhere', async () => {
    const before = calls
    const answers = ['127.0.0.1', '10.0.0.1']
    const networks = new Networks(['receiver.internal'], resolving(answers))
    expect(await send(`http://receiver.internal:${port}/`, networks)).toBe(200)
    expect(calls).toBe(before + 1)
    expect(answers, 'the checked address is the one of the connection').toEqual(['10.0.0.1'])
    // At the next delivery, the name is checked again.
    const moved = new Networks(['10.0.0.1'], resolving(['127.0.0.1']))
    await expect(send(`http://receiver.internal:${port}/`, moved)).rejects.toMatchObject(refused)
    expect(calls).toBe(before + 1)
  })

  it('does not call a name with one public and one private address', async () => {
    const both = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])) as unknown as typeof lookup
    await expect(send(`http://both.example:${port}/`, new Networks([], both))).rejects.toMatchObject(refused)
  })
})

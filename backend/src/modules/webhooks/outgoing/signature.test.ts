import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { headersOf, newHookSecret } from './signature.ts'

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../../../docs/programs/webhooks.md'), 'utf8')
const codeOf = (language: string): string => {
  const code = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(DOCUMENT)?.[1]
  if (code === undefined) throw new Error(`docs/programs/webhooks.md has no code in ${language}`)
  return code
}

const hasPython = spawnSync('python3', ['--version']).status === 0

const NOW = 1_795_680_000
const secret = newHookSecret()
const body = JSON.stringify({ deliveryId: 'one', text: { result: 'Grüße 🚀' } })
const headers = headersOf({ id: 'one', kind: 'test', body, secret, now: NOW * 1000 + 999 })
/** What a receiver is given, and whether it is genuine. */
const CASES = [
  { name: 'as it was sent', secret, headers, body, now: NOW, genuine: true },
  { name: 'a few minutes later', secret, headers, body, now: NOW + 299, genuine: true },
  { name: 'much later', secret, headers, body, now: NOW + 301, genuine: false },
  { name: 'another body', secret, headers, body: `${body} `, now: NOW, genuine: false },
  { name: 'another secret', secret: newHookSecret(), headers, body, now: NOW, genuine: false },
  {
    name: 'another time stamp',
    ...{
      secret,
      headers: { ...headers, 'x-slipway-timestamp': String(NOW + 400) },
      body,
      now: NOW + 400,
      genuine: false,
    },
  },
  { name: 'no headers', secret, headers: {}, body, now: NOW, genuine: false },
]
const names = (cases: typeof CASES) => cases.map(({ name }) => name)
const GENUINE = names(CASES.filter(({ genuine }) => genuine))

describe('the signature of a delivery', () => {
  it('is checked by the documented code for Node.js', async () => {
    const url = `data:text/javascript,${encodeURIComponent(codeOf('js'))}`
    const { isGenuine } = (await import(/* @vite-ignore */ url)) as {
      isGenuine: (secret: string, headers: object, body: string, now: number) => boolean
    }
    expect(names(CASES.filter((one) => isGenuine(one.secret, one.headers, one.body, one.now)))).toEqual(GENUINE)
  })

  it.skipIf(!hasPython)('is checked by the documented code for Python', () => {
    const program = `${codeOf('python')}
import json, sys
for one in json.load(sys.stdin):
    if is_genuine(one["secret"], one["headers"], one["body"].encode(), one["now"]):
        print(one["name"])
`
    const output = execFileSync('python3', ['-c', program], { input: JSON.stringify(CASES), encoding: 'utf8' })
    expect(output.trim().split('\n')).toEqual(GENUINE)
  })
})

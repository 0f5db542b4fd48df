import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { environmentOf, servicesOf, withGatewayKey } from './environment.ts'

const github = { kind: 'github-token', secret: 'ghp_canary', address: null } as const
const gitlab = {
  kind: 'git-token',
  secret: 'glpat-canary',
  address: 'https://o%22%24%28id%29@git.example.org:8443',
} as const

describe('the environment of an exec', () => {
  it('has the variables that the programs read', () => {
    expect(environmentOf([{ kind: 'anthropic-api-key', secret: 'one', address: null }])).toEqual({
      ANTHROPIC_API_KEY: 'one',
    })
    expect(environmentOf([{ kind: 'ai-gateway', secret: 'two', address: 'https://g.example.org' }])).toEqual({
      ANTHROPIC_BASE_URL: 'https://g.example.org',
      ANTHROPIC_AUTH_TOKEN: 'two',
    })
  })

  it('is empty without credentials', () => {
    expect(environmentOf([])).toEqual({})
  })

  it('has the key of a gateway under the name that Claude reads, but only with the address of the gateway', () => {
    const gateway = { AI_GATEWAY_API_KEY: 'one', ANTHROPIC_BASE_URL: 'https://g.example.org' }
    expect(withGatewayKey(gateway)).toEqual({ ...gateway, ANTHROPIC_AUTH_TOKEN: 'one' })
    expect(servicesOf(withGatewayKey(gateway))).toEqual(['anthropic'])
    for (const own of [{ AI_GATEWAY_API_KEY: 'one' }, { ...gateway, ANTHROPIC_AUTH_TOKEN: 'two' }, {}])
      expect(withGatewayKey(own)).toBe(own)
  })

  /** What git itself would send to a host. */
  const fill = (url: string): string => {
    const { protocol, host } = new URL(url)
    const { stdout } = spawnSync('git', ['credential', 'fill'], {
      input: `protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`,
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        GIT_TERMINAL_PROMPT: '0',
        ...environmentOf([github, gitlab]),
      },
      encoding: 'utf8',
    })
    return stdout
  }

  it('answers git’s question for the token’s host', () => {
    expect(fill('https://github.com')).toContain('username=x-access-token\npassword=ghp_canary\n')
  })

  it('hands on a user name unchanged, with every character that a shell would interpret', () => {
    expect(fill('https://git.example.org:8443')).toContain('username=o"$(id)\npassword=glpat-canary\n')
  })

  it.each([
    'https://github.com.attacker.example',
    'http://github.com',
    'https://git.example.org',
    'https://example.org',
  ])('answers nothing about %s', (url) => {
    expect(fill(url)).not.toContain('canary')
  })

  it('holds no secret in the configuration that git shows', () => {
    const shown = execFileSync('git', ['config', '--list'], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environmentOf([github, gitlab]) },
      cwd: '/',
      encoding: 'utf8',
    })
    expect(shown).toContain('credential.https://github.com.helper')
    expect(shown).not.toContain('canary')
  })
})

import type { CredentialKind } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { choose, type Situation } from './in-force.ts'
import { type CredentialOwner, ownerKey } from '../owner.ts'
import type { StoredCredential } from '../repository.ts'

const AGENT = { type: 'agent', id: 'agent' } as const
const MINE = { type: 'user', id: 'ann' } as const
const PLATFORM = { type: 'platform' } as const

const own: Situation = {
  userId: 'ann',
  signedIn: true,
  agentId: 'agent',
  ownerId: 'ann',
  shares: 0,
  lent: false,
  useCredentials: true,
  useGitToken: true,
}
const stored = (owner: CredentialOwner, kind: CredentialKind = 'anthropic-api-key'): StoredCredential => ({
  owner: ownerKey(owner),
  kind,
  address: null,
  sealed: new Uint8Array(),
  keyId: '',
  setAt: new Date(0),
  setBy: null,
})
const anthropic = (rows: StoredCredential[], situation: Partial<Situation> = {}) => {
  const choice = choose(rows, { ...own, ...situation }).find(({ service }) => service === 'anthropic')
  return [choice?.source, choice?.credential?.kind ?? null, choice?.because]
}

describe('the credential in force', () => {
  const all = [stored(PLATFORM), stored(MINE), stored(AGENT)]

  it('is the agent’s, else the person’s own, else the platform’s, else none', () => {
    expect(anthropic(all)).toEqual(['agent', 'anthropic-api-key', null])
    expect(anthropic([stored(PLATFORM), stored(MINE)])).toEqual(['user', 'anthropic-api-key', null])
    expect(anthropic([stored(PLATFORM)])).toEqual(['platform', 'anthropic-api-key', null])
    expect(anthropic([])).toEqual(['none', null, null])
  })

  it('is never a personal one in an agent that others may enter', () => {
    expect(anthropic([stored(MINE)], { shares: 1 })).toEqual(['none', null, 'shared'])
    expect(anthropic([stored(MINE), stored(PLATFORM)], { shares: 1 })).toEqual([
      'platform',
      'anthropic-api-key',
      'shared',
    ])
  })

  it('is never a personal one in an agent that others have been in, until its owner confirms', () => {
    expect(anthropic([stored(MINE)], { lent: true })).toEqual(['none', null, 'was_shared'])
    expect(anthropic([stored(MINE), stored(PLATFORM)], { lent: true })).toEqual([
      'platform',
      'anthropic-api-key',
      'was_shared',
    ])
    expect(anthropic([stored(MINE)], { lent: true, shares: 1 })).toEqual(['none', null, 'shared'])
    expect(anthropic(all, { lent: true })).toEqual(['agent', 'anthropic-api-key', null])
  })

  it('is never a personal one in another user’s agent, for a sharee and for an admin', () => {
    expect(anthropic([stored(MINE)], { ownerId: 'ben', shares: 1 })).toEqual(['none', null, 'not_yours'])
    expect(anthropic([stored(MINE)], { ownerId: 'ben' })).toEqual(['none', null, 'not_yours'])
    expect(anthropic([stored(MINE)], { ownerId: null })).toEqual(['none', null, 'not_yours'])
  })

  it('is never a personal one for an API token, which could read it from the program that it starts', () => {
    expect(anthropic([stored(MINE)], { signedIn: false })).toEqual(['none', null, 'api_token'])
  })

  it('is none where people log in inside the terminal', () => {
    expect(anthropic(all, { useCredentials: false })).toEqual(['none', null, 'off'])
  })

  it('is the gateway before the key, at one level', () => {
    expect(anthropic([stored(PLATFORM), stored(PLATFORM, 'ai-gateway')])).toEqual(['platform', 'ai-gateway', null])
    expect(anthropic([stored(AGENT), stored(PLATFORM, 'ai-gateway')])).toEqual(['agent', 'anthropic-api-key', null])
  })

  it('is no token for repositories unless the agent asks for it', () => {
    const tokens = [stored(AGENT, 'github-token'), stored(PLATFORM, 'git-token')]
    const sources = (useGitToken: boolean) =>
      choose(tokens, { ...own, useGitToken })
        .filter(({ service }) => service === 'github' || service === 'git')
        .map(({ source, because }) => [source, because])
    expect(sources(false)).toEqual([
      ['none', 'off'],
      ['none', 'off'],
    ])
    expect(sources(true)).toEqual([
      ['agent', null],
      ['platform', null],
    ])
  })
})

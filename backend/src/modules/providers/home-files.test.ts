import { describe, expect, it } from 'vitest'
import { homeFiles } from './catalogue.ts'
import { PLACEHOLDER_KEY } from './provider.ts'

const contentOf = (path: string): string => homeFiles.find((file) => file.path === path)?.content ?? ''

describe('the files of a new home', () => {
  it('stay inside the home, and are readable by their owner alone', () => {
    for (const { path, mode } of homeFiles) {
      expect(path).not.toMatch(/^\/|\.\./)
      expect(mode).toBe(0o600)
    }
  })

  it('have Claude introduced and the home trusted', () => {
    expect(JSON.parse(contentOf('.claude.json'))).toMatchObject({
      hasCompletedOnboarding: true,
      bypassPermissionsModeAccepted: true,
      projects: { '/home/developer': { hasTrustDialogAccepted: true } },
    })
  })

  it('choose a way to sign in for Gemini, and no trust question', () => {
    expect(JSON.parse(contentOf('.gemini/settings.json')).security).toEqual({
      auth: { selectedType: 'gemini-api-key' },
      folderTrust: { enabled: false },
    })
  })

  it('keep the sessions of Gemini, which would otherwise delete resumed ones', () => {
    expect(JSON.parse(contentOf('.gemini/settings.json')).general).toMatchObject({
      sessionRetention: { enabled: false },
    })
  })

  it('name no model for Codex, which would ask about it', () => {
    expect(contentOf('.codex/config.toml')).not.toContain('model')
  })

  it('hold no key but the placeholder', () => {
    expect(JSON.parse(contentOf('.codex/auth.json'))).toEqual({ OPENAI_API_KEY: PLACEHOLDER_KEY })
  })
})

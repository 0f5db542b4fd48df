import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { dependencyBin, inRoot, projectNode } from '../paths.mjs'
import { scriptOf, writeVueScripts } from './vue-scripts.mjs'

const folder = mkdtempSync(join(tmpdir(), 'slipway-vue-scripts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const COMPONENT = `<script lang="ts">
export interface Shown { id: string }
</script>

<script setup lang="ts" generic="Id extends string">
import { useAgentsStore } from '@/stores/agents/agents.ts'
const props = defineProps<{ id: Id }>()
const agents = useAgentsStore()
const load = async (): Promise<string> => agents.find(props.id)?.name ?? ''
load()
</script>

<template><p @click="load()">{{ id }}</p></template>
`

describe('the script of a Vue file', () => {
  it('has each line and column of the file, and nothing of its template', async () => {
    const source = COMPONENT.split('\n')
    const script = (await scriptOf(COMPONENT)).split('\n')
    for (const line of [1, 5, 6, 7, 8, 9]) expect(script[line]).toBe(source[line])
    expect(script[4].trim()).toBe('type Id = string;')
    expect(script.join('\n')).not.toContain('@click')
  })

  it('is checked with the types of the front end', async () => {
    await writeVueScripts(folder)
    const file = join(folder, 'src', 'Component.vue.ts')
    writeFileSync(file, await scriptOf(COMPONENT))
    const argv = [dependencyBin('oxlint'), '--type-aware', '--config', inRoot('.oxlintrc.json'), '--format=unix', file]
    const { stdout, status } = spawnSync(projectNode(), argv, { encoding: 'utf8' })
    expect(stdout).toMatch(/Component\.vue\.ts:10:1: .*no-floating-promises/)
    expect(stdout).toContain('1 problem')
    expect(status).toBe(1)
  })
})

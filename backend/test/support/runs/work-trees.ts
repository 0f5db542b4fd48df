/** Runs in real work trees of a real container, whose changes are read. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodingSessionDiff } from '@slipway/protocol'
import { afterAll, beforeAll } from 'vitest'
import { silentLog } from '../../../src/lib/log.ts'
import { beginChanges, RunChanges } from '../../../src/modules/runs/changes/changes.ts'
import { Masking } from '../../../src/modules/runs/output/masking.ts'
import type { Collected } from '../../../src/modules/runs/stored-end.ts'
import { newSpec } from '../../conformance/subject.ts'
import { IMAGE, useEngine } from '../engine/engine.ts'

/** A secret that the runs know. */
export const SECRET = 'a-secret-of-the-tests-0815'

interface Run {
  readonly id: string
  readonly startTree: string | null
  readonly changes: RunChanges
  /** What is stored in its row after its end was. */
  readonly late: Collected[]
}

/** A container for all tests of a file. Call it once at the top. */
export const useWorkTrees = () => {
  const { runtime } = useEngine()
  const folder = mkdtempSync(join(tmpdir(), 'slipway-changes-'))
  let containerId = ''

  beforeAll(async () => {
    containerId = (await runtime.launch(newSpec(IMAGE))).id
    await sh('git config --global user.name Tester; git config --global user.email tester@example.org')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const sh = async (script: string): Promise<string> => {
    const argv = ['sh', '-ec', script]
    const { exitCode, stdout, stderr } = await runtime.run(containerId, {
      argv,
      timeoutMs: 60_000,
      maxOutputBytes: 1e6,
    })
    if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stderr.toString()}`)
    return stdout.toString()
  }
  /** A repository with a file `old` and a commit, or what else this script makes in it. */
  const newRepository = async (
    script = 'printf "1\\n2\\n3\\n" >old; git add -A; git commit -qm one',
  ): Promise<string> => {
    const cwd = `/home/developer/r-${randomUUID()}`
    await sh(`mkdir ${cwd}; cd ${cwd}; git init -q; ${script}`)
    return cwd
  }

  /** Begins a run in this folder. */
  const begin = async (cwd: string): Promise<Run> => {
    const id = randomUUID()
    const late: Collected[] = []
    const repository = { changed: (_held: unknown, collected: Collected) => Promise.resolve(void late.push(collected)) }
    const deps = { runtime, repository, folder, log: silentLog }
    const startTree = await beginChanges(deps, containerId, { id, cwd })
    const held = { id, generation: 1 }
    return {
      id,
      startTree,
      late,
      changes: new RunChanges(deps, { held, containerId, startTree, masking: new Masking([SECRET]) }),
    }
  }
  /** What a script in a new work tree changes. */
  const changedBy = async (script: string, before?: string): Promise<CodingSessionDiff> => {
    const cwd = await newRepository(before)
    const { changes } = await begin(cwd)
    await sh(`cd ${cwd}; ${script}`)
    const diff = await changes.diff()
    await changes.leave()
    return diff
  }

  return { folder, sh, newRepository, begin, changedBy }
}

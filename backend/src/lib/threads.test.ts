import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const THREADS = new URL('threads.ts', import.meta.url).href
/** Begins the pool, and prints how many threads the process has. */
const COUNT = `
  import { readdirSync } from 'node:fs'
  import { stat } from 'node:fs/promises'
  await stat('/')
  console.log(readdirSync('/proc/self/task').length)`

const countWith = async (before: string): Promise<number> => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', `${before}\n${COUNT}`], {
    env: { PATH: process.env['PATH'] },
  })
  return Number(stdout)
}

it('has a thread for far more look-ups than one user may have', async () => {
  const [usual, here] = [await countWith(''), await countWith(`import '${THREADS}'`)]
  expect(here - usual).toBe(60)
})

it('is the first thing that the server loads', () => {
  const main = readFileSync(fileURLToPath(new URL('../main.ts', import.meta.url)), 'utf8')
  expect(/^import .*$/m.exec(main)?.[0]).toBe("import './lib/threads.ts'")
})

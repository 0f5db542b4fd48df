import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'

const supervisor = `
  import { supervise } from ${JSON.stringify(fileURLToPath(new URL('./child.mjs', import.meta.url)))}
  const server = \`
    let stops = 0
    process.on('SIGTERM', () => { stops += 1; setTimeout(() => { console.log('stops', stops); process.exit(0) }, 300) })
    process.on('SIGINT', () => console.log('reached by the terminal'))
    setInterval(() => {}, 1000)
    console.log('ready')
  \`
  process.exitCode = await supervise([process.execPath, '-e', server], { cwd: '/', env: process.env })
`

/** Starts the supervisor and its server in a process group of their own, and waits until the server is ready. */
const start = async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', supervisor], { detached: true })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  const closed = once(child, 'close')
  while (!output.includes('ready')) await once(child.stdout, 'data')
  return { child, end: async () => ({ code: (await closed)[0], output }) }
}

describe('a supervised server', () => {
  it('is told once to stop when Ctrl+C reaches its parent twice', async () => {
    const { child, end } = await start()
    process.kill(-child.pid, 'SIGINT') // the terminal sends the signal to the whole group
    process.kill(child.pid, 'SIGINT') // and npm sends its own signal
    expect(await end()).toEqual({ code: 0, output: 'ready\nstops 1\n' })
  })

  it('stops with its parent’s terminal', async () => {
    const { child, end } = await start()
    process.kill(child.pid, 'SIGHUP')
    expect((await end()).code).toBe(0)
  })
})

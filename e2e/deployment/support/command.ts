/** Runs programs to their end. */
import { spawn } from 'node:child_process'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  readonly cwd?: string
}

/** Runs a program and returns its result. */
export const run = (argv: readonly string[], { env, input, cwd }: CommandOptions = {}): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const [program = '', ...args] = argv
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' })
    const out = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (out[name] += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 128, ...out }))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })

/** Like {@link run}, but throws if the program fails. Returns its output. */
export const mustRun = async (argv: readonly string[], options?: CommandOptions): Promise<string> => {
  const { code, stdout, stderr } = await run(argv, options)
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
  return stdout
}

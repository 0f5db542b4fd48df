import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../../lib/time/clock.ts'
import { InstalledClis } from './installed.ts'

/** Programs of one container that say these versions; null: one that says nothing. */
const setUp = (programs: Record<string, string | null>) => {
  let now = 0
  /** The programs of each look. */
  const looks: string[][] = []
  const installed = new InstalledClis(
    {
      run: async (_container, { argv }) => {
        const binaries = argv.slice(argv.indexOf('slipway-look') + 2)
        looks.push(binaries)
        const lines = binaries.flatMap((name, number) =>
          name in programs ? [`${number}\t${programs[name] ?? ''}\n`] : [],
        )
        return { exitCode: 0, stdout: Buffer.from(lines.join('')), stderr: Buffer.alloc(0) }
      },
    },
    { now: () => now },
  )
  return { installed, looks, programs, pass: (ms: number) => (now += ms) }
}

describe('a look at the coding CLIs of a container', () => {
  it('starts each program once in five minutes, also for requests at the same time', async () => {
    const { installed, looks, pass } = setUp({ claude: 'claude 2.1.0', codex: 'codex-cli 0.9' })
    const [one, other] = await Promise.all([1, 2].map(() => installed.look('c', ['claude', 'codex'])))
    expect(one?.get('claude')?.version).toBe('2.1.0')
    expect(other?.get('codex')?.version).toBe('0.9')
    pass(5 * MINUTE_MS - 1)
    await installed.look('c', ['claude'])
    expect(looks).toHaveLength(1)
    await installed.look('another', ['claude'])
    pass(1)
    await installed.look('c', ['claude'])
    expect(looks.slice(1)).toEqual([['claude'], ['claude']])
  })

  it('asks again for a missing program, and for one that has said nothing', async () => {
    const { installed, looks, programs } = setUp({ claude: '2.1.0', slow: null })
    const all = ['claude', 'slow', 'missing']
    expect([...(await installed.look('c', all)).keys()]).toEqual(['claude', 'slow'])
    Object.assign(programs, { missing: '1.0', slow: '3.0' })
    const later = await installed.look('c', all)
    expect(all.map((name) => later.get(name)?.version)).toEqual(['2.1.0', '3.0', '1.0'])
    expect(looks).toEqual([all, ['slow', 'missing']])
  })

  it('starts all of them when a user asks for a test, and keeps what they say', async () => {
    const { installed, looks, programs } = setUp({ claude: '2.1.0' })
    await installed.look('c', ['claude'])
    programs['claude'] = '2.2.0'
    expect((await installed.lookAgain('c', ['claude'])).get('claude')?.version).toBe('2.2.0')
    expect((await installed.look('c', ['claude'])).get('claude')?.version).toBe('2.2.0')
    delete programs['claude']
    await installed.lookAgain('c', ['claude'])
    expect((await installed.look('c', ['claude'])).has('claude')).toBe(false)
    expect(looks).toHaveLength(4)
  })
})

describe('a look for one coding CLI', () => {
  /** A container whose look for a program ends with each of these exit codes. */
  const ending = (...codes: number[]) =>
    new InstalledClis(
      { run: async () => ({ exitCode: codes.shift() ?? 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }) },
      { now: () => 0 },
    )

  it('finds it, and looks again only for one that was missing', async () => {
    const installed = ending(1, 0, 1)
    expect(await installed.has('c', 'claude')).toBe(false)
    expect(await installed.has('c', 'claude')).toBe(true)
    expect(await installed.has('c', 'claude')).toBe(true)
  })

  it('does not take a look that was killed for a program that is missing', async () => {
    const installed = ending(137, 0)
    await expect(installed.has('c', 'claude')).rejects.toMatchObject({ code: 'engine_error' })
    expect(await installed.has('c', 'claude')).toBe(true)
  })
})

import { readFileSync } from 'node:fs'
import { AgentState, END_REASONS } from '@slipway/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { Registry } from 'prom-client'
import { ChatMetrics } from '../../src/modules/channels/chat/metrics.ts'
import { useApp } from '../support/server/app.ts'
import { addPerson, call, PASSWORD, setUpAdmin, type Person } from '../support/people/people.ts'

interface Target {
  readonly expr: string
}
interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly Target[]
}
interface Dashboard {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: { readonly list: readonly { readonly name: string }[] }
  readonly panels: readonly Panel[]
}

const people = useApp()
let admin: Person
beforeEach(async () => {
  admin = await setUpAdmin(people())
})

/** The labels of each metric as Prometheus would store them, without the `le` of histograms. */
const labelsIn = (text: string): Map<string, Set<string>> => {
  const labels = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [, name, inBraces = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined) continue
    const known = labels.get(name) ?? new Set<string>()
    for (const [, label = ''] of inBraces.matchAll(/([a-z_]+)="/g)) known.add(label)
    labels.set(name, known)
  }
  return labels
}

const scrape = async (): Promise<{ text: string; labels: Map<string, Set<string>> }> => {
  const { body: text } = await call(people().app, 'GET /metrics', { token: admin.token })
  return { text, labels: labelsIn(text) }
}

/** Those of a server with a bot, which this one has not. */
const scrapeBot = async (): Promise<Map<string, Set<string>>> => {
  const registry = new Registry()
  const metrics = new ChatMetrics(registry, { name: 'discord', isConnected: () => true })
  metrics.connected()
  metrics.tended('done')
  return labelsIn(await registry.metrics())
}

const login = (email: string, password: string) => call(people().app, 'POST /auth/login', { body: { email, password } })

describe('the figures', () => {
  it('count sign-ins by what became of them', async () => {
    const before = await scrape()
    const count = (text: string, result: string): number =>
      Number(new RegExp(`^slipway_sign_ins_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1])
    await login(admin.email, PASSWORD)
    for (let tries = 0; tries < 11; tries++) await login(admin.email, 'wrong')
    const after = await scrape()
    const grown = (result: string): number => count(after.text, result) - count(before.text, result)
    expect([grown('accepted'), grown('refused'), grown('throttled')]).toEqual([1, 10, 1])
  })

  it('have a value for every state and reason from the beginning', async () => {
    const { text } = await scrape()
    for (const { const: state } of AgentState.anyOf) expect(text).toContain(`slipway_agents{state="${state}"} `)
    for (const reason of END_REASONS) {
      expect(text).toContain(`slipway_terminal_sessions_ended_total{reason="${reason}"} 0`)
    }
    expect(text).toMatch(/^slipway_engine_up 0$/m)
    expect(text).toMatch(/^slipway_build_info\{version="0\.0\.0",node="[\d.]+"\} 1$/m)
    expect(text).toMatch(/^slipway_database_connections\{state="busy"\} \d$/m)
  })

  it('are as many after any number of people, agents and addresses', async () => {
    const body = { name: 'canary', runtime: 'bash' }
    const visit = async (n: number): Promise<void> => {
      const person = await addPerson(people(), admin, `canary${n}@example.org`)
      await call(people().app, 'POST /agents', { token: person.token, body: { ...body, name: `canary-${n}` } })
      await call(people().app, `GET /agents/canary-${n}`, { token: person.token })
      await call(people().app, `GET /canary-${n}`)
    }
    await visit(0)
    // Node's own metrics change at any time, with the first garbage collection of a kind or another timer.
    const own = (text: string): string[] => text.split('\n').filter((line) => !line.includes('nodejs_'))
    const { text } = await scrape()
    for (let n = 1; n < 5; n++) await visit(n)
    const later = await scrape()
    expect(own(later.text)).toHaveLength(own(text).length)
    expect(later.text).not.toContain('canary')
  })
})

describe('the Grafana dashboard', () => {
  const file = new URL('../../../docs/operating/grafana/slipway.json', import.meta.url)
  const dashboard = JSON.parse(readFileSync(file, 'utf8')) as Dashboard

  it('can be imported: panels with numbers of their own, side by side, on a grid of 24', () => {
    expect(dashboard).toMatchObject({ title: 'Slipway', uid: 'slipway' })
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36)
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    for (const { gridPos, title } of dashboard.panels) expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    const overlap = dashboard.panels.filter(({ gridPos: a }, i) =>
      dashboard.panels.some(
        ({ gridPos: b }, j) => i < j && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
      ),
    )
    expect(overlap).toEqual([])
  })

  it('has a panel for what tasks leave, and for the bot', async () => {
    const left = [...(await scrape()).labels.keys()].filter((name) => /^slipway_(valid|worktree|pull|auto)/.test(name))
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
    for (const name of [...left, ...(await scrapeBot()).keys()]) expect(queries).toContain(`${name}{`)
  })

  it('shows figures and labels that there are', async () => {
    const labels = new Map([...(await scrape()).labels, ...(await scrapeBot())])
    // Prometheus makes this metric itself.
    labels.set('up', new Set())
    const variables = dashboard.templating.list.map(({ name }) => name)
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    expect(queries.length).toBeGreaterThan(20)
    for (const query of queries) {
      const metrics = [...query.matchAll(/([a-z_0-9]+)\{([^}]*)\}/g)]
      expect(metrics.length, query).toBe(1)
      const [, name = '', selector = ''] = metrics[0] ?? []
      expect([...labels.keys()], query).toContain(name)
      const selected = [...selector.matchAll(/([a-z_]+)=~?"/g)].map(([, label]) => label)
      const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
      for (const label of [...selected, ...grouped].filter((label) => label !== 'job')) {
        expect([...(labels.get(name) ?? [])], query).toContain(label)
      }
      for (const [, variable] of query.matchAll(/\$(\w+)/g)) {
        expect([...variables, '__rate_interval'], query).toContain(variable)
      }
    }
  })
})

describe('the page of operations', () => {
  const page = readFileSync(new URL('../../../docs/operating/operations.md', import.meta.url), 'utf8')

  it('names figures and labels that there are', async () => {
    const { text, labels } = await scrape()
    const named = [...page.matchAll(/`[^`\n]*?\b(slipway_[a-z_]+)(?:\{([^}`]*)\})?/g)]
    expect(named.length).toBeGreaterThan(10)
    // Only a server with Discord has these.
    const isElsewhere = (name: string | undefined): boolean => name?.startsWith('slipway_chat_') === true
    for (const [, name = '', selector = ''] of named.filter(([, name]) => !isElsewhere(name))) {
      // A counter with labels has no line before it counts.
      if (!labels.has(name)) expect(text).toContain(`# TYPE ${name} `)
      const selected = selector.split(',').map((part) => part.split(/=~?/)[0] ?? '')
      for (const label of labels.has(name) && selector !== '' ? selected : [])
        expect([...(labels.get(name) ?? [])], name).toContain(label)
    }
  })

  it('lists the values of what tasks leave', async () => {
    const { text } = await scrape()
    const listed = [...page.matchAll(/`(slipway_[a-z_]+)\{([a-z]+)\}` \(([^)]*)\)/g)]
    expect(listed.length).toBe(4)
    for (const [, name = '', label = '', values = ''] of listed) {
      const there = [...text.matchAll(new RegExp(`^${name}\\{${label}="([a-z_]+)"\\} 0$`, 'gm'))].map(
        ([, value]) => value,
      )
      expect(
        [...values.matchAll(/`([a-z_]+)`/g)].map(([, value]) => value),
        name,
      ).toEqual(there)
    }
  })
})

/** The development servers that most projects have, in an agent: an edited module is there without a reload. */
import type { PortTicket } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import type { FrameLocator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { bringInstalled, bringOwn } from '../../support/agent/dev-servers.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { answered, goTo, newContext, PATIENCE_MS, useBrowser } from '../../support/pages.ts'
import { openPort } from '../../support/port-browser.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 3072 })
/** The apps have an origin of their own, and no icon. */
const usual = [/^request: (?:http|ws):\/\/\d+--/, answered(404)]

declare global {
  interface Window {
    /** Gone after a reload. */
    kept?: string
  }
}

/** A development server in the home. */
interface DevServer {
  readonly folder: string
  readonly command: string
  readonly port: number
  /** The page of the app. */
  readonly path?: string
  /** What its page says in the console once it hears of edits. */
  readonly hears: string
  /** Console messages of its pages besides the usual ones. */
  readonly provoked?: readonly RegExp[]
}

/** Starts it, opens its port once it answers, and waits until the page hears of edits. */
const open = async ({ folder, command, port, path = '/', hears, provoked = [] }: DevServer): Promise<Page> => {
  await runIn(its.agent.name, `cd ~/${folder} && setsid -f ${command} >../${folder}.log 2>&1`)
  const browser = await openPort(its.owner, its.path, port)
  await until('the server', async () => (await browser.get(path)).status === 200, PATIENCE_MS)
  const { url } = await its.owner.ok<PortTicket>('POST', `${its.path}/ports/${port}/tickets`, { path })
  const page = await (await newContext({ provoked: [...usual, ...provoked] })).newPage()
  const connected = page.waitForEvent('console', (message) => message.text().includes(hears))
  await goTo(page, url)
  await connected
  return page
}

const word = (text: string): string => `export const word = '${text}'\n`

/** Edits a module twice until the page, or a frame in it, shows it. Then the page is still the same. */
const edited = async (page: Page, module: string, shown: Page | FrameLocator = page): Promise<void> => {
  await shown.getByText('first text').waitFor()
  await page.evaluate(() => void (window.kept = 'since the start'))
  for (const text of ['second text', 'third text']) {
    await its.owner.upload(its.agent.name, module, word(text))
    await shown.getByText(text).waitFor()
  }
  expect(await page.evaluate(() => window.kept)).toBe('since the start')
}

it('Vite, which needs no configuration, updates a module without a reload', async () => {
  const files = {
    'package.json': '{"type":"module"}',
    'index.html': '<!doctype html><main></main><script type="module" src="/main.js"></script>',
    'main.js': `import { word } from './word.js'
const main = document.querySelector('main')
main.textContent = word
import.meta.hot.accept('./word.js', (changed) => (main.textContent = changed.word))
`,
    'word.js': word('first text'),
  }
  await bringOwn(its.owner, its.agent.name, 'vite', { folder: 'vite', files })
  const command = 'node node_modules/vite/bin/vite.js'
  const page = await open({ folder: 'vite', command, port: 5173, hears: '[vite] connected' })
  await edited(page, 'vite/word.js')
})

// In the short form Vite stands for the two below, which are set up from the npm registry.
longIt('Next.js, which needs no configuration, updates a module without a reload', async () => {
  const files = {
    'package.json': '{}',
    'package-lock.json': '{}',
    'app/layout.jsx': 'export default function Layout({ children }) { return <html><body>{children}</body></html> }\n',
    'app/page.jsx': `import { word } from './word'
export default function Page() { return <main>{word}</main> }
`,
    'app/word.js': word('first text'),
  }
  await bringInstalled(its.owner, its.agent.name, ['next@16', 'react@19', 'react-dom@19'], { folder: 'next', files })
  const command = 'env NEXT_TELEMETRY_DISABLED=1 node node_modules/next/dist/bin/next dev -p 3000'
  const page = await open({ folder: 'next', command, port: 3000, hears: '[HMR] connected' })
  await edited(page, 'next/app/word.js')
})

longIt('Storybook updates a story without a reload, and its server answers over its channel', async () => {
  const files = {
    'package.json': '{"type":"module"}',
    // Its Vite would have the browser connect to the port of the container: see docs/using/ports.md.
    '.storybook/main.js': `export default {
  stories: ['../src/*.stories.js'],
  framework: '@storybook/html-vite',
  core: { disableTelemetry: true },
  viteFinal: (config) => {
    delete config.server.hmr.port
    return config
  },
}
`,
    'src/word.js': word('first text'),
    'src/word.stories.js': `import { word } from './word.js'
export default { title: 'Word' }
export const Shown = { render: () => \`<p>\${word}</p>\` }
`,
  }
  const packages = ['storybook@10', '@storybook/html-vite@10', 'vite@8']
  await bringInstalled(its.owner, its.agent.name, packages, { folder: 'storybook', files })
  const page = await open({
    folder: 'storybook',
    command: 'node node_modules/storybook/dist/bin/dispatcher.js dev -p 6006 --ci',
    port: 6006,
    path: '/?path=/story/word--shown',
    hears: '[vite] connected',
    // It gives its server a second to answer, which a busy machine may not keep.
    provoked: [/^warning: The 'ariaLabel' prop/, /^page error: Timed out waiting for leader state/],
  })
  await edited(page, 'storybook/src/word.js', page.frameLocator('#storybook-preview-iframe'))
  const channel = page.waitForEvent('websocket', (socket) => socket.url().includes('/storybook-server-channel'))
  await page.reload()
  await (await channel).waitForEvent('framereceived')
})

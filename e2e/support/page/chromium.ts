/** One Chromium for all test files. Each test opens pages in contexts of its own. */
import { existsSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address at which the browser accepts drivers. */
    browser: string
  }
}

/**
 * Disabled features. Chromium uses only the last list, so it starts with the relevant ones that Playwright itself
 * disables.
 */
const WITHOUT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // A spare process for the next site. Each context would start one, and no test needs it.
  'SpareRendererForSitePerProcess',
  // The suggestions below the address bar are a page of 400 modules. Each context would load it for an invisible
  // window.
  'PreloadTopChromeWebUI',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]

const ARGS = [
  '--no-sandbox',
  // WebGL without a graphics card.
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  // Composites pages without the emulated GPU, which would take seconds of both cores for each page and its
  // transitions.
  '--disable-gpu-compositing',
  `--disable-features=${WITHOUT.join(',')}`,
  // Only the tested pages make requests.
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const CHROMIUM = process.env.PLAYWRIGHT_CHROMIUM ?? '/usr/bin/chromium'
/**
 * Playwright moves Chromium's shared memory from here to files in /tmp, for containers that have little of it. On a
 * disk, that costs CPU.
 */
const SHARED_MEMORY = '/dev/shm'
/** Longest start on two busy cores, in milliseconds. Playwright would wait for half a minute. */
const START_MS = 180_000
/** Enough shared memory for Chromium, in bytes. A container has 64 MiB by default. */
const ENOUGH_SHARED_MEMORY_BYTES = 2 ** 30
const hasSharedMemory = (): boolean => {
  if (!existsSync(SHARED_MEMORY)) return false
  const { blocks, bsize } = statfsSync(SHARED_MEMORY)
  return blocks * bsize >= ENOUGH_SHARED_MEMORY_BYTES
}

/** Starts Chromium so that the containers of tests do not break its connections. It says how. */
const DEAF = join(import.meta.dirname, 'deaf-chromium')

export interface Launch {
  /** A web feature to disable, by Blink's name. */
  readonly without?: string
  /** Whether it hears of changes of the network, as a user's browser does. Each container makes some. */
  readonly hearsNetwork?: boolean
}

/** Launch options on any machine. */
export const launchOptions = ({ without = '', hearsNetwork = false }: Launch = {}): LaunchOptions => ({
  executablePath: hearsNetwork ? CHROMIUM : DEAF,
  env: { ...process.env, SLIPWAY_TEST_CHROMIUM: CHROMIUM },
  timeout: START_MS,
  ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
  args: without === '' ? ARGS : [...ARGS, `--disable-blink-features=${without}`],
})

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const browser = await chromium.launchServer(launchOptions())
  project.provide('browser', browser.wsEndpoint())
  return () => browser.close()
}

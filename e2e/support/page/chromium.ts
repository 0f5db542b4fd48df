/** One Chromium for all files; each test opens pages in contexts of its own. */
import { existsSync, statfsSync } from 'node:fs'
import { chromium, type LaunchOptions } from 'playwright'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser listens for those who drive it. */
    browser: string
  }
}

/**
 * Features that are off. Only the last list counts, so that it begins with what Playwright itself turns off and is of
 * consequence here.
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
  // A process that waits for the next site, which each context would have for itself and none has a use for.
  'SpareRendererForSitePerProcess',
  // The suggestions below the address bar are a page of 400 modules, which each context would load for a window that nobody sees.
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
  // Pages are put together without the emulated card: it takes seconds of both cores for each page and its transitions.
  '--disable-gpu-compositing',
  `--disable-features=${WITHOUT.join(',')}`,
  // Nothing but the pages under test makes requests.
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Playwright moves Chromium's shared memory from here to files in /tmp, for containers that have little of it. On a disk that costs CPU. */
const SHARED_MEMORY = '/dev/shm'
/** In bytes. A container has 64 MiB by default. */
const ENOUGH_SHARED_MEMORY_BYTES = 2 ** 30
const hasSharedMemory = (): boolean => {
  if (!existsSync(SHARED_MEMORY)) return false
  const { blocks, bsize } = statfsSync(SHARED_MEMORY)
  return blocks * bsize >= ENOUGH_SHARED_MEMORY_BYTES
}

/** How it is launched wherever that is; `without` names what of the web platform it does not have. */
export const launchOptions = (without = ''): LaunchOptions => ({
  executablePath: process.env.PLAYWRIGHT_CHROMIUM ?? '/usr/bin/chromium',
  ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
  args: without === '' ? ARGS : [...ARGS, `--disable-blink-features=${without}`],
})

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const browser = await chromium.launchServer(launchOptions())
  project.provide('browser', browser.wsEndpoint())
  return () => browser.close()
}

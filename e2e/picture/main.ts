/** `npm run picture`: records the README's animation from the real product. Its only argument is the file to write. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { launchOptions } from '../support/page/chromium.ts'
import { removeNamespace } from '../support/engine.ts'
import { newNamespace } from '../support/server.ts'
import { Film } from './film.ts'
import { play } from './scenes.ts'
import { Stage } from './stage.ts'

/** Largest file, in bytes, because every reader of the README loads it. */
const BYTES_MAX = 1_500_000
/** Longest duration, in seconds. A visitor of the README watches no longer. */
const SECONDS_MAX = 20

const file = process.argv[2]
if (file === undefined) throw new Error('name the file to write')

const namespace = newNamespace()
const dataDir = mkdtempSync(join(tmpdir(), 'slipway-picture-'))
const browser = await chromium.launch(launchOptions())
const film = new Film()
try {
  await play({ browser, namespace, dataDir, stage: await Stage.open(browser, film) })
  await film.encode(file)
} finally {
  await browser.close()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
}
const { size } = statSync(file)
process.stdout.write(`${file}: ${film.seconds} s, ${film.stills} stills, ${size} bytes\n`)
if (film.seconds > SECONDS_MAX) throw new Error(`it may take ${SECONDS_MAX} s`)
if (size > BYTES_MAX) throw new Error(`it may have ${BYTES_MAX} bytes`)

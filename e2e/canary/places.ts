/** Every place that must not contain a secret, as text to search. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import type { Page } from 'playwright'
import { docker } from '../support/engine.ts'

/** All encodings in which a program may have written a secret. */
export const spellings = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  // In base64 the first and last characters depend on the text around. The middle has one form for each of three
  // offsets.
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    return text.slice(shift === 0 ? 0 : 4, text.length - 4)
  })
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...shifted])]
}

/** Names of the secrets in the text. */
export const found = (text: string, secrets: Readonly<Record<string, string>>): string[] =>
  Object.entries(secrets)
    .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
    .map(([name]) => name)

/** Every file of a folder with its name, as stored on the disk: one character for each byte. */
export const filesOf = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n')

/** Every row of every table of the embedded database. Its server must be stopped. */
export const rowsOf = async (dataDir: string): Promise<string> => {
  const database = await PGlite.create(join(dataDir, 'database'))
  try {
    const tables = await database.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  } finally {
    await database.close()
  }
}

/** What the engine shows about containers, their execs, images, volumes and networks, and its events since then. */
export const engineOf = async (namespace: string, since: number): Promise<string> => {
  const filters = { label: [`${namespace}.managed=true`] }
  const shown: unknown[] = []
  for (const { Id, ImageID } of await docker.listContainers({ all: true, filters })) {
    const container = await docker.getContainer(Id).inspect()
    shown.push(container, await docker.getImage(ImageID).inspect(), await docker.getImage(ImageID).history())
    for (const id of (container as { ExecIDs?: string[] | null }).ExecIDs ?? [])
      shown.push(
        await docker
          .getExec(id)
          .inspect()
          .catch(() => null),
      )
    // Command lines, as every process on the host can read them.
    shown.push(
      await docker
        .getContainer(Id)
        .top({ ps_args: '-eo args' })
        .catch(() => null),
    )
  }
  shown.push(await docker.listVolumes({ filters }), await docker.listNetworks({ filters }))
  const stream = (await docker.getEvents({ since, until: Math.ceil(Date.now() / 1000) })) as Readable
  let events = ''
  for await (const chunk of stream) events += String(chunk)
  return `${JSON.stringify(shown)}\n${events}`
}

/**
 * What a script of the page can read: each kind of storage, cookies, and the document with the values of its fields.
 */
export const browserOf = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const contents = await Promise.all(
      databases.map(
        ({ name }) =>
          new Promise((resolve) => {
            const request = indexedDB.open(name ?? '')
            request.onerror = () => resolve(null)
            request.onsuccess = () => {
              const { result } = request
              const stores = Array.from(result.objectStoreNames)
              if (stores.length === 0) return resolve([])
              const transaction = result.transaction(stores)
              const reads = stores.map(
                (store) =>
                  new Promise((done) => {
                    const all = transaction.objectStore(store).getAll()
                    all.onsuccess = () => done(all.result)
                  }),
              )
              void Promise.all(reads).then(resolve)
            }
          }),
      ),
    )
    const caches = await Promise.all(
      (await window.caches.keys()).map(async (name) => (await window.caches.open(name)).keys()),
    )
    const fields = Array.from(
      document.querySelectorAll('input, textarea'),
      (field) => (field as HTMLInputElement).value,
    )
    return JSON.stringify([
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      contents,
      caches.flat().map(({ url }) => url),
      document.cookie,
      document.documentElement.outerHTML,
      fields,
      location.href,
      performance.getEntries().map(({ name }) => name),
    ])
  })

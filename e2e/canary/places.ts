/** Everywhere that a secret must not be, as text that can be searched. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import type { Page } from 'playwright'
import { docker } from '../support/engine.ts'

/** A secret in every way in which something may have written it down. */
export const spellings = (secret: string): string[] => {
  const bytes = Buffer.from(secret)
  // In base64 the beginning and the end depend on what stands beside it; the middle does not, for each of three shifts.
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    return text.slice(shift === 0 ? 0 : 4, text.length - 4)
  })
  return [...new Set([secret, encodeURIComponent(secret), bytes.toString('hex'), ...shifted])]
}

/** Which of the secrets are in the text, by their names. */
export const found = (text: string, secrets: Readonly<Record<string, string>>): string[] =>
  Object.entries(secrets)
    .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
    .map(([name]) => name)

/** Every file of a folder with its name, as it lies on the disk: one character for each byte. */
export const filesOf = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n')

/** Every row of every table of the embedded database, whose server must be stopped. */
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

/** What the engine shows of containers, their execs, images, volumes and networks, and what it told meanwhile. */
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

/** What a script of the page can read: storage of each kind, cookies, and the document itself with what fields hold. */
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

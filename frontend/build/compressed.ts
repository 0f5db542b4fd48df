/** Writes each file of the page a second and a third time, compressed, as the server sends it to browsers that take it. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Fonts and pictures are compressed already. */
const KINDS = /\.(js|css|html|svg|json|wasm|txt)$/
/** Below this a header costs more than what is saved, in bytes. */
const MIN_BYTES = 1_024

const brotli = (bytes: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
const zipped = (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })

/** Last of all plugins: it reads what the others have written. */
export const compressed = (): Plugin => ({
  name: 'slipway:compressed',
  apply: 'build',
  enforce: 'post',
  writeBundle: {
    order: 'post',
    sequential: true,
    handler: async ({ dir }) => {
      if (dir === undefined) return
      const names = (await readdir(dir, { recursive: true })).filter((name) => KINDS.test(name))
      await Promise.all(
        names.map(async (name) => {
          const path = join(dir, name)
          const bytes = await readFile(path)
          if (bytes.length < MIN_BYTES) return
          await Promise.all([
            writeFile(`${path}.br`, await brotli(bytes)),
            writeFile(`${path}.gz`, await zipped(bytes)),
          ])
        }),
      )
    },
  },
})

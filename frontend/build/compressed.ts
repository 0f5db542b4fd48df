/** Writes compressed copies of each file of the page, which the server sends to browsers that accept them. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Fonts and pictures are compressed already. */
const KINDS = /\.(js|css|html|svg|json|wasm|txt)$/
/** Smallest file to compress, in bytes. Below this, the header costs more than compression saves. */
const MIN_BYTES = 1_024

const brotli = (bytes: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
const zipped = (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })

/** Runs after all other plugins, because it reads their output. */
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

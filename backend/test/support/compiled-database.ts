/**
 * Keeps the embedded database's code compiled from one test file to the next. V8 shares what it has made of the same bytes as long
 * as somebody holds it; to make it anew for each file's database takes an eighth of the tests' processor time.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Known to the types of browsers only. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<object> }

const worker = globalThis as { compiledDatabase?: object }

const { resolve } = createRequire(import.meta.url)
const file = join(resolve('@electric-sql/pglite'), '../pglite.wasm')
worker.compiledDatabase ??= await WebAssembly.compile(await readFile(file))

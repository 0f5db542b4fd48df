#!/usr/bin/env node
/**
 * Prisma's schema engine without its native binary. The WebAssembly build of the same engine is behind the command line
 * and the JSON-RPC on stdio that the CLI expects of the native one. It is for development only. The server never needs
 * it.
 *
 * The shadow database is a PGlite in memory. Migrations are replayed on it to compute a difference.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import pg from 'pg'

/** PostgreSQL's types `"char"` and `text`, from pg_type. */
const OID_CHAR = 18
const OID_TEXT = 25
/** The CLI's JSON-RPC code for an error of the engine itself. */
const RPC_ENGINE_ERROR = 4466
/** Our notifications need ids that the CLI's own requests never reach. */
const PRINT_ID_OFFSET = 1_000_000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    datasource: { type: 'string' },
    datamodels: { type: 'string', multiple: true },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
    version: { type: 'boolean' },
  },
})
const datasource = JSON.parse(options.datasource ?? '{}')

/**
 * The engine reads `"char"` columns of the catalogue, which the adapter does not know. They travel as text, and get
 * their type back afterwards.
 */
let charColumns = []
const addFields = pg.Result.prototype.addFields
pg.Result.prototype.addFields = function (fields) {
  const chars = fields.filter((field) => field.dataTypeID === OID_CHAR)
  for (const field of chars) field.dataTypeID = OID_TEXT
  charColumns = chars.map((field) => field.name)
  return addFields.call(this, fields)
}

async function connect(adapter) {
  const connection = await adapter.connect()
  const queryRaw = connection.queryRaw.bind(connection)
  connection.queryRaw = async (query) => {
    const result = await queryRaw(query)
    const columnTypes = result.columnTypes.map((type, i) =>
      charColumns.includes(result.columnNames[i]) ? ColumnTypeEnum.Character : type,
    )
    return { ...result, columnTypes }
  }
  // The adapter splits a script at every semicolon, even inside of a function's body. The server can read the whole
  // script.
  connection.executeScript = async (script) => {
    await connection.client.query(script).catch((error) => connection.onError(error))
  }
  return connection
}

const serverAdapter = (url) => new PrismaPg(new pg.Pool({ connectionString: url, options: '-c timezone=UTC' }))

async function memoryAdapter() {
  const db = await PGlite.create('memory://')
  await db.exec(`SET TIME ZONE 'UTC'`)
  const config = createPgConfig(db)
  const parse = config.connection.parse.bind(config.connection)
  // Prisma passes functions where PGlite expects type numbers. Without them both use text.
  config.connection.parse = (query) => parse({ ...query, types: undefined })
  return new PrismaPg(new pg.Pool({ ...config, max: 1, idleTimeoutMillis: 0 }))
}

let offline = false
let main
const adapters = bindMigrationAwareSqlAdapterFactory({
  provider: 'postgres',
  adapterName: '@prisma/adapter-pg',
  connect: async () => connect((main ??= offline ? await memoryAdapter() : serverAdapter(datasource.url))),
  connectToShadowDb: async () =>
    connect(datasource.shadowDatabaseUrl ? serverAdapter(datasource.shadowDatabaseUrl) : await memoryAdapter()),
})

/** The `cli` subcommand: checks whether a server answers, and creates the database in it. It exits. */
async function databaseCommand(command) {
  const url = new URL(datasource.url)
  const name = decodeURIComponent(url.pathname.slice(1))
  const creating = command === 'create-database'
  if (creating) url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  try {
    await client.connect()
    await client.query(creating ? `CREATE DATABASE ${pg.escapeIdentifier(name)}` : 'SELECT 1')
    process.exit(0)
  } catch (error) {
    // The CLI drops the first line of standard error. 3D000: PostgreSQL's "no such database".
    const fields = { message: error.message, error_code: error.code === '3D000' ? 'P1003' : 'P1001' }
    console.error('\n' + JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields }))
    process.exit(1)
  }
}

let panic
async function loadEngine() {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => (panic = message) }
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg')
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
  const bytes = readFileSync(entry.replace(/schema_engine\.js$/, 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  return () => {
    const datamodels = options.datamodels?.map((path) => [path, readFileSync(path, 'utf8')])
    return glue.SchemaEngine.new({ datamodels }, () => {}, adapters)
  }
}

/**
 * In the wasm build `createMigration` and `evaluateDataLoss` forget the shadow database. A diff answers the same
 * question.
 */
async function diffFromMigrations(engine, params) {
  const diff = await engine.diff({
    from: { tag: 'migrations', ...params.migrationsList },
    to: { tag: 'schemaDatamodel', ...params.schema },
    script: true,
    exitCode: true,
    filters: params.filters,
  })
  return { changed: diff.exitCode === 2, script: diff.stdout ?? '' }
}

async function createMigration(engine, params) {
  const { changed, script } = await diffFromMigrations(engine, params)
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const name = params.migrationName.replace(/\W+/g, '_').slice(0, 200)
  const empty = params.draft ? '-- This is an empty migration.' : null
  return {
    connectorType: 'postgresql',
    generatedMigrationName: `${stamp}_${name}`,
    migrationScript: changed ? script : empty,
    extension: 'sql',
  }
}

async function evaluateDataLoss(engine, params) {
  const { changed, script } = await diffFromMigrations(engine, params)
  const block = /\/\*\s*Warnings:([\s\S]*?)\*\//.exec(script)?.[1] ?? ''
  const warnings = (block.match(/- .*/g) ?? []).map((line) => ({ message: line.slice(2), stepIndex: 0 }))
  return { migrationSteps: changed ? 1 : 0, unexecutableSteps: [], warnings }
}

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')

async function answer(newEngine, { id, method, params }) {
  // A difference between files needs no server.
  if (method === 'diff') offline = ![params.from.tag, params.to.tag].includes('schemaDatasource')
  if (method === 'createDatabase') return { databaseName: '' }
  const engine = await newEngine()
  if (method === 'createMigration') return createMigration(engine, params)
  if (method === 'evaluateDataLoss') return evaluateDataLoss(engine, params)
  if (method === 'getDatabaseVersion') return engine.version(params)
  const result = await engine[method](params)
  if (method !== 'diff') return result
  if (result.stdout) send({ id: PRINT_ID_OFFSET + id, method: 'print', params: { content: result.stdout } })
  return { exitCode: result.exitCode }
}

if (options.version) {
  console.log('schema-engine-cli wasm')
} else if (positionals[0] === 'cli') {
  await databaseCommand(positionals[1])
} else {
  const newEngine = await loadEngine()
  let queue = Promise.resolve()
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    const request = JSON.parse(line)
    if (!request.method) return
    queue = queue.then(async () => {
      try {
        send({ id: request.id, result: (await answer(newEngine, request)) ?? {} })
      } catch (error) {
        const message = panic ?? error.message ?? String(error)
        const data = { is_panic: panic !== undefined, message, error_code: error.code }
        send({ id: request.id, error: { code: RPC_ENGINE_ERROR, message, data } })
      }
    })
  })
  lines.on('close', () => queue.then(() => process.exit(0)))
}

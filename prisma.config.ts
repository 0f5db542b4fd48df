import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// Prisma's CLI downloads a native schema engine from a host of its own, which is often out of reach. The same engine
// comes from npm as WebAssembly; our script puts it behind the native one's command line.
// SLIPWAY_NATIVE_SCHEMA_ENGINE=1 lets the CLI use its native one.
if (process.env['SLIPWAY_NATIVE_SCHEMA_ENGINE'] !== '1') {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(new URL('./scripts/schema-engine.mjs', import.meta.url))
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // The commands that need no server (generate, diff) still want some address here.
  datasource: { url: process.env['SLIPWAY_DATABASE_URL'] ?? 'postgresql://localhost/unset' },
})

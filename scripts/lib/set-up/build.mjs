// Builds what comes from the sources: the database's client and the front end.
import { mustRun } from '../commands.mjs'
import { whenChanged } from './changes.mjs'
import { dependencyBin, inRoot, projectNode } from '../paths.mjs'

/** Programs of the set-up report to no service, and print plain text. */
const QUIET = { CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1', NO_COLOR: '1', FORCE_COLOR: undefined }

/** Generates the database's client if its schema has changed. */
export const ensureDatabaseClient = ({ announce }) =>
  whenChanged(
    'database-client',
    {
      inputs: ['prisma/schema.prisma', 'prisma.config.ts', 'package-lock.json'],
      output: 'backend/src/database/generated',
    },
    async () => {
      announce('prisma generate')
      await mustRun([projectNode(), dependencyBin('prisma'), 'generate'], { env: { ...process.env, ...QUIET } })
    },
  )

/** Builds the front end into `frontend/dist` if its sources or the protocol have changed. */
export const ensureFrontend = ({ announce }) =>
  whenChanged(
    'frontend',
    { inputs: ['frontend', 'emulator/src', 'protocol/src', 'package-lock.json'], output: 'frontend/dist/index.html' },
    async () => {
      announce('vite build')
      await mustRun([projectNode(), dependencyBin('vite'), 'build'], {
        cwd: inRoot('frontend'),
        env: { ...process.env, ...QUIET },
      })
    },
  )

// The front end's development server. It reloads the page on every change, and passes API calls to the backend.
import { spawn } from 'node:child_process'
import { dependencyBin, inRoot, projectNode } from './paths.mjs'

/**
 * Starts Vite, which prints its own address.
 *
 * @returns {() => void} ends it
 */
export const startFrontendServer = () => {
  const backend = `http://127.0.0.1:${process.env.SLIPWAY_PORT ?? 4700}`
  const child = spawn(projectNode(), [dependencyBin('vite'), '--host', '127.0.0.1', '--clearScreen', 'false'], {
    cwd: inRoot('frontend'),
    env: { ...process.env, SLIPWAY_BACKEND: backend },
    // It has a session of its own, like the backend, so that only its parent ends it.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return () => child.kill('SIGTERM')
}

/** A CLI of the bench's own in place of Claude Code, which asks people. */
import { readFileSync } from 'node:fs'
import { runInside } from '../engine.ts'

const CLI = readFileSync(new URL('asking-cli.py', import.meta.url))
/** This folder comes first on the path. */
const BINARY = '/home/developer/.local/bin/claude'

/** Puts the CLI into an agent. */
export const installAskingCli = async (containerId: string): Promise<void> => {
  const script = `mkdir -p "$(dirname ${BINARY})" && printf %s "$1" | base64 -d > ${BINARY} && chmod 755 ${BINARY}`
  await runInside(containerId, ['sh', '-c', script, 'sh', CLI.toString('base64')])
}

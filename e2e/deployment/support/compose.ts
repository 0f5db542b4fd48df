/** An installation from docker-compose.yml as it is, with names, a port and a subnet of its own. */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@slipway/testing'
import { removeNamespace } from '../../support/engine.ts'
import { newNamespace } from '../../support/server.ts'
import { mustRun, run } from './command.ts'

const FILE = join(import.meta.dirname, '../../../docker-compose.yml')
const SOCKET = '/var/run/docker.sock'

export class Installation {
  readonly namespace = newNamespace()
  readonly baseUrl: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-compose-'))
  readonly #env: Record<string, string>

  private constructor(port: number, env: Record<string, string>) {
    this.baseUrl = `http://127.0.0.1:${port}`
    writeFileSync(join(this.#folder, 'database_password'), 'p@ss/word%20:with?signs\n', { mode: 0o444 })
    this.#env = {
      SLIPWAY_SECRETS_DIR: this.#folder,
      SLIPWAY_PORT: String(port),
      SLIPWAY_NAMESPACE: this.namespace,
      SLIPWAY_FRONT_SUBNET: `10.207.${randomInt(1, 255)}.0/24`,
      SLIPWAY_DOCKER_GROUP: String(statSync(SOCKET).gid),
      COMPOSE_PROJECT_NAME: this.namespace,
      ...env,
    }
  }

  static async prepare(env: Record<string, string> = {}): Promise<Installation> {
    return new Installation(await freePort(), env)
  }

  /** Runs a command of Compose. */
  compose(args: readonly string[], input?: string): Promise<string> {
    return mustRun([...composeArgv(), '-f', FILE, ...args], {
      env: this.#env,
      ...(input === undefined ? {} : { input }),
    })
  }

  logs(): Promise<string> {
    return this.compose(['logs', '--no-color', 'slipway'])
  }

  /** The id of a service's container. */
  async containerOf(service: string): Promise<string> {
    return (await this.compose(['ps', '-q', service])).trim()
  }

  /** Removes all of it. Returns what `down --volumes` alone leaves. */
  async remove(): Promise<string[]> {
    await this.compose(['down', '--volumes', '--remove-orphans'])
    const left = await leftOf(this.namespace)
    // Agents are no services of Compose, so their containers stay until an admin removes them.
    await removeNamespace(this.namespace)
    rmSync(this.#folder, { recursive: true, force: true })
    return left
  }
}

/** `npm test` names the Compose command to use. */
const composeArgv = (): string[] => (process.env['SLIPWAY_TEST_COMPOSE'] ?? 'docker-compose').split(' ')

const leftOf = async (namespace: string): Promise<string[]> => {
  const lists = [
    ['ps', '-a', '--format', '{{.Names}}'],
    ['volume', 'ls', '--format', '{{.Name}}'],
    ['network', 'ls', '--format', '{{.Name}}'],
  ]
  const outputs = await Promise.all(lists.map((args) => run(['docker', ...args])))
  return outputs.flatMap(({ stdout }) => stdout.split('\n')).filter((name) => name.startsWith(namespace))
}

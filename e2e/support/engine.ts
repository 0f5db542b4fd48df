/** The engine as the tests look at it, beside what the server says. */
import Docker from 'dockerode'

export const docker = new Docker()

/** Removes every container, volume and network of a namespace. */
export const removeNamespace = async (namespace: string): Promise<void> => {
  const filters = { label: [`${namespace}.managed=true`] }
  for (const { Id } of await docker.listContainers({ all: true, filters }))
    await docker.getContainer(Id).remove({ force: true, v: true })
  const { Volumes } = await docker.listVolumes({ filters })
  for (const { Name } of Volumes) await docker.getVolume(Name).remove()
  for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove()
}

/** The command lines of everything in a container, as the engine's host sees them. */
export const processesIn = async (container: string): Promise<string[]> => {
  const { Titles, Processes } = (await docker.getContainer(container).top()) as {
    Titles: string[]
    Processes: string[][]
  }
  const command = Titles.indexOf('CMD')
  return Processes.map((row) => row[command] ?? '')
}

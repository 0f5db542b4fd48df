/** Users who sign in and out. */

export interface Person {
  readonly email: string
  readonly password: string
}

/**
 * Each request has a connection of its own, as from many users. Connections that stay open would count as the server's.
 */
const post = (base: string, path: string, headers: Record<string, string>, body?: object): Promise<Response> =>
  fetch(`${base}/api${path}`, {
    method: 'POST',
    headers: { connection: 'close', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Signs in, and answers the access token. */
export const signIn = async (base: string, { email, password }: Person): Promise<string> => {
  const response = await post(base, '/auth/login', { 'content-type': 'application/json' }, { email, password })
  if (!response.ok) throw new Error(`a sign-in was answered with ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { accessToken: string }).accessToken
}

export const signOut = async (base: string, token: string): Promise<void> => {
  const response = await post(base, '/auth/logout', { authorization: `Bearer ${token}` })
  if (!response.ok) throw new Error(`a sign-out was answered with ${response.status}`)
  await response.arrayBuffer()
}

/** Signs in one user after the other. Answers the milliseconds of each sign-in, without the sign-out. */
export const signInInTurns = async (base: string, people: readonly Person[], count: number): Promise<number[]> => {
  const samples: number[] = []
  for (let done = 0; done < count; done++) {
    const started = performance.now()
    const token = await signIn(base, people[done % people.length]!)
    samples.push(performance.now() - started)
    await signOut(base, token)
  }
  return samples
}

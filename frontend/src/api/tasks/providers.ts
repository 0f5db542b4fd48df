import type { Provider } from '@slipway/protocol'
import { http } from '../transport/client.ts'

/** The coding CLIs that the server knows. Guests without a sign-in may read them, too. */
export async function listProviders(): Promise<Provider[]> {
  return (await http.requestPublic<{ items: Provider[] }>('GET', '/providers')).items
}

import type { ChangePreferences, Preferences } from '@slipway/protocol'
import { http } from '../transport/client.ts'

export const readPreferences = () => http.request<Preferences>('GET', '/users/me/preferences')
export const writePreferences = (body: ChangePreferences) =>
  http.request<Preferences>('PUT', '/users/me/preferences', body)

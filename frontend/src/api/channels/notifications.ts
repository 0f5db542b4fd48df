import type { AddPushDevice, Channels, PushDevice, PushTest } from '@slipway/protocol'
import { http } from '../transport/client.ts'

const DEVICES = '/notifications/devices'
const pathOf = (id: string): string => `${DEVICES}/${encodeURIComponent(id)}`

/** How the user can be reached. */
export const readChannels = () => http.request<Channels>('GET', '/notifications')
export const addDevice = (body: AddPushDevice) => http.request<PushDevice>('POST', DEVICES, body, 'harmless')
export const removeDevice = (id: string) => http.send('DELETE', pathOf(id))
/** Pushes once, and waits for what became of it. */
export const testDevice = (id: string) => http.request<PushTest>('POST', `${pathOf(id)}/test`)

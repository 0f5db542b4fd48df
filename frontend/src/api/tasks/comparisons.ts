import type { Comparison, Comparisons, CreateComparison } from '@slipway/protocol'
import { http } from '../transport/client.ts'

const BASE = '/coding-agents/comparisons'
const pathOf = (id: string): string => `${BASE}/${encodeURIComponent(id)}`

/** Starts one prompt on several targets. A retry with the same key starts nothing twice. */
export const startComparison = (body: CreateComparison, key: string) =>
  http.request<Comparison>('POST', BASE, body, { key })
/** The user's comparisons with cut prompts, the newest first. Pages count from 1. */
export const listComparisons = (page: number) => http.request<Comparisons>('GET', `${BASE}?page=${page}`)
export const readComparison = (id: string) => http.request<Comparison>('GET', pathOf(id))
/** Archives the other tasks of the comparison. */
export const chooseTask = (id: string, sessionId: string) =>
  http.request<Comparison>('POST', `${pathOf(id)}/choose`, { sessionId })

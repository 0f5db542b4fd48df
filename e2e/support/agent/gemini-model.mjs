// Runs inside an agent's container: the Gemini API with a model whose answers are written down. It only streams.
import { startModel } from './script.mjs'

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120, cachedContentTokenCount: 0 }

const STATUSES = { 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED' }

startModel({
  resultMark: /"functionResponse":/,
  errorOf: (code, { say: message = 'refused by the tests' }) => ({
    error: { code, message, status: STATUSES[code] ?? 'INTERNAL' },
  }),
  eventsOf: ({ step: { say, tool, input }, path }) => {
    if (!path.endsWith(':streamGenerateContent')) return null
    const parts = [
      ...(say === undefined ? [] : [say].flat().map((text) => ({ text }))),
      ...(tool === undefined ? [] : [{ functionCall: { name: tool, args: input } }]),
    ]
    return parts.map((part, index) => {
      const isLast = index === parts.length - 1
      const content = { role: 'model', parts: [part] }
      const candidate = { content, index: 0, ...(isLast ? { finishReason: 'STOP' } : {}) }
      return { candidates: [candidate], usageMetadata: USAGE, modelVersion: 'scripted', responseId: 'scripted' }
    })
  },
})

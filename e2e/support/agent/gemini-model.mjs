// Runs inside an agent's container: the Gemini API with a model whose answers are written down. It only streams.
import { startModel } from './script.mjs'

const USAGE = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120, cachedContentTokenCount: 0 }

startModel({
  resultMark: /"functionResponse":/,
  errorOf: (code, message) => ({ error: { code, message, status: code === 401 ? 'UNAUTHENTICATED' : 'INTERNAL' } }),
  eventsOf: ({ step: { say, tool, input }, path }) => {
    if (!path.endsWith(':streamGenerateContent')) return null
    const parts = [
      ...(say === undefined ? [] : [{ text: say }]),
      ...(tool === undefined ? [] : [{ functionCall: { name: tool, args: input } }]),
    ]
    const candidate = { content: { role: 'model', parts }, index: 0, finishReason: 'STOP' }
    return [{ candidates: [candidate], usageMetadata: USAGE, modelVersion: 'scripted', responseId: 'scripted' }]
  },
})

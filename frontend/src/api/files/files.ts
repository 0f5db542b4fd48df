import { MAX_UPLOAD_BYTES, type ErrorBody, type FolderListing, type FoundFile } from '@slipway/protocol'
import { decodePath, encodePath } from '@/lib/pathBytes.ts'
import { agentPath } from '../agents/agents.ts'
import { http } from '../transport/client.ts'
import { ApiError, unreachable } from '../transport/errors.ts'
import type { Gathered, Gathering } from '../transport/gather.ts'

const pathOf = (key: string, path: string): string => `${agentPath(key)}/files?path=${encodePath(path)}`

/** Further options of an upload. */
export interface UploadOptions {
  /** Called with the share that was sent, from 0 to 1. */
  progress: (share: number) => void
  /** Cancels the upload. No part of the file stays. */
  signal: AbortSignal
  /** Whether to create missing folders of the path. */
  parents: boolean
  /** What must be in the file's place: a version, or `none`. Anything otherwise. */
  expected?: string
}

/** The user cancelled the upload. */
export class UploadCancelled extends Error {
  override readonly name = 'UploadCancelled'
}

/** Uploads a file to an agent's home, and resolves with its ETag. */
export async function uploadFile(key: string, path: string, file: File, options: UploadOptions): Promise<string> {
  if (file.size > MAX_UPLOAD_BYTES) throw new ApiError(413, 'TOO_LARGE', 'This file is larger than 1 GiB.')
  const token = await http.accessToken()
  const url = `/api${pathOf(key, path)}${options.parents ? '&parents=true' : ''}`
  // Retries once if nothing was sent, like all requests of this page: the network may have changed.
  const version = (await put(url, token, file, options)) ?? (await put(url, token, file, options))
  if (version === null) throw unreachable(null)
  return version
}

/** Resolves with null if no byte was sent, so that a retry is safe. Rejects with all other failures. */
function put(url: string, token: string, file: File, options: UploadOptions): Promise<string | null> {
  const { progress, signal, expected } = options
  if (signal.aborted) throw new UploadCancelled()
  // `fetch` does not report the progress of an upload.
  const request = new XMLHttpRequest()
  request.open('PUT', url)
  request.setRequestHeader('authorization', `Bearer ${token}`)
  request.setRequestHeader('content-type', 'application/octet-stream')
  if (expected === 'none') request.setRequestHeader('if-none-match', '*')
  else if (expected !== undefined) request.setRequestHeader('if-match', `"${expected}"`)
  let isSent = false
  request.upload.onprogress = ({ loaded, total }) => {
    isSent = true
    progress(total === 0 ? 1 : loaded / total)
  }
  const abort = (): void => request.abort()
  signal.addEventListener('abort', abort)
  return new Promise<string | null>((resolve, reject) => {
    request.onabort = () => reject(new UploadCancelled())
    request.onload = () =>
      request.status === 204 ? resolve(request.getResponseHeader('etag') ?? '') : reject(failureOf(request))
    request.onerror = () => (isSent ? reject(unreachable(null)) : resolve(null))
    request.send(file)
  }).finally(() => signal.removeEventListener('abort', abort))
}

/** Which of these paths are files or folders of the home, in the same order. */
export const findFiles = (key: string, paths: string[]): Promise<FoundFile[]> =>
  http
    .request<{ items: FoundFile[] }>('POST', `${agentPath(key)}/files/find`, { paths }, 'harmless')
    .then(({ items }) =>
      items.map(({ encodedPath, ...file }) =>
        encodedPath === undefined ? file : { ...file, path: decodePath(encodedPath) },
      ),
    )

/** What is in a folder of the home. */
export const listFolder = (key: string, path: string): Promise<FolderListing> =>
  http.request<FolderListing>('GET', `${agentPath(key)}/files/list?${new URLSearchParams({ path })}`)

function failureOf({ status, responseText }: XMLHttpRequest): ApiError {
  try {
    const { code, message } = JSON.parse(responseText) as ErrorBody
    return new ApiError(status, code as ApiError['code'], message)
  } catch {
    return new ApiError(status, 'UNEXPECTED', `The server sent an unexpected answer (${status}).`)
  }
}

/** Downloads a file of an agent's home, or a folder as an archive. */
export const downloadFile = (key: string, path: string, way: Gathering): Promise<Gathered> =>
  http.download(pathOf(key, path), way)

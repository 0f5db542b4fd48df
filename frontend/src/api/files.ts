import { MAX_UPLOAD_BYTES, type ErrorBody, type FoundFile } from '@slipway/protocol'
import { decodePath, encodePath } from '@/lib/pathBytes.ts'
import { agentPath } from './agents.ts'
import { http } from './transport/client.ts'
import { ApiError, unreachable } from './transport/errors.ts'
import type { Gathered, Gathering } from './transport/gather.ts'

const pathOf = (key: string, path: string): string => `${agentPath(key)}/files?path=${encodePath(path)}`

/** What an upload may be told besides. */
export interface UploadOptions {
  /** Told the share that is sent, from 0 to 1. */
  progress: (share: number) => void
  /** Ends it where it is; nothing of the file is there then. */
  signal: AbortSignal
  /** Whether missing folders of the path are made. */
  parents: boolean
}

/** The person thought better of it. */
export class UploadCancelled extends Error {
  override readonly name = 'UploadCancelled'
}

/** Puts a file into an agent's home. */
export async function uploadFile(key: string, path: string, file: File, options: UploadOptions): Promise<void> {
  if (file.size > MAX_UPLOAD_BYTES) throw new ApiError(413, 'TOO_LARGE', 'This file is larger than 1 GiB.')
  const token = await http.accessToken()
  const url = `/api${pathOf(key, path)}${options.parents ? '&parents=true' : ''}`
  // Once more where nothing is known to have been sent, as with everything that a page asks for: the network may have changed.
  if (!(await put(url, token, file, options)) && !(await put(url, token, file, options))) throw unreachable(null)
}

/** Resolves with whether it was answered; rejects where that cannot be had by asking again. */
function put(url: string, token: string, file: File, { progress, signal }: UploadOptions): Promise<boolean> {
  if (signal.aborted) throw new UploadCancelled()
  // `fetch` does not tell how far an upload is.
  const request = new XMLHttpRequest()
  request.open('PUT', url)
  request.setRequestHeader('authorization', `Bearer ${token}`)
  request.setRequestHeader('content-type', 'application/octet-stream')
  let isSent = false
  request.upload.onprogress = ({ loaded, total }) => {
    isSent = true
    progress(total === 0 ? 1 : loaded / total)
  }
  const abort = (): void => request.abort()
  signal.addEventListener('abort', abort)
  return new Promise<boolean>((resolve, reject) => {
    request.onabort = () => reject(new UploadCancelled())
    request.onload = () => (request.status === 204 ? resolve(true) : reject(failureOf(request)))
    request.onerror = () => (isSent ? reject(unreachable(null)) : resolve(false))
    request.send(file)
  }).finally(() => signal.removeEventListener('abort', abort))
}

/** Which of these paths are files or folders of the home, in their order. */
export const findFiles = (key: string, paths: string[]): Promise<FoundFile[]> =>
  http
    .request<{ items: FoundFile[] }>('POST', `${agentPath(key)}/files/find`, { paths }, 'harmless')
    .then(({ items }) =>
      items.map(({ encodedPath, ...file }) =>
        encodedPath === undefined ? file : { ...file, path: decodePath(encodedPath) },
      ),
    )

function failureOf({ status, responseText }: XMLHttpRequest): ApiError {
  try {
    const { code, message } = JSON.parse(responseText) as ErrorBody
    return new ApiError(status, code as ApiError['code'], message)
  } catch {
    return new ApiError(status, 'UNEXPECTED', `The server sent an unexpected answer (${status}).`)
  }
}

/** A file of an agent's home, or a folder as an archive. */
export const downloadFile = (key: string, path: string, way: Gathering): Promise<Gathered> =>
  http.download(pathOf(key, path), way)

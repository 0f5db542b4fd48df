import type { FileVersions, ListLine, Removed, SearchFiles } from '@slipway/protocol'
import { linesOf } from '@/lib/files/lines.ts'
import { decodePath, encodePath } from '@/lib/pathBytes.ts'
import { agentPath } from '../agents/agents.ts'
import { uploadFile, type UploadOptions } from './files.ts'
import { http } from '../transport/client.ts'
import { ApiError } from '../transport/errors.ts'

/** Paths of this page are absolute; see `lib/pathBytes.ts` for their bytes. */
const at = (key: string, what: string, path: string): string =>
  `${agentPath(key)}/files${what}?path=${encodePath(path)}`

/** The beginning of a file. */
export interface FilePart {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Of the whole file, in bytes. */
  readonly size: number
  readonly version: string
  /** Where the file really is, with links followed. */
  readonly realPath: string
}

/** Calls `heard` with each line but the last, which it resolves with. Rejects if the list is cut off. */
async function listen(response: Response, heard: (line: ListLine) => void): Promise<{ truncated: boolean }> {
  if (response.body !== null)
    for await (const line of linesOf<ListLine>(response.body)) {
      if (line.type === 'error') throw new ApiError(200, line.code as ApiError['code'], line.message)
      if (line.type === 'end') return line
      heard(line)
    }
  throw new ApiError(0, 'UNREACHABLE', 'The list was cut off. Check your connection, then try again.')
}

/** What is in a folder, as it arrives. */
export const listEntries = async (
  key: string,
  path: string,
  heard: (line: ListLine) => void,
  signal: AbortSignal,
): Promise<{ truncated: boolean }> => listen(await http.open(at(key, '/tree', path), signal), heard)

/** The files below a folder, as they arrive. */
export const listNames = async (
  key: string,
  path: string,
  heard: (line: ListLine) => void,
  signal: AbortSignal,
): Promise<{ truncated: boolean }> => listen(await http.open(at(key, '/names', path), signal), heard)

/** Searches in the files below a folder. The hits are heard as they are found. */
export const searchFiles = async (
  key: string,
  { path, wanted }: { path: string; wanted: SearchFiles },
  heard: (line: ListLine) => void,
  signal: AbortSignal,
): Promise<{ truncated: boolean }> => listen(await http.open(at(key, '/search', path), signal, { body: wanted }), heard)

/** At most so many bytes of the beginning of a file. */
export async function readPart(key: string, path: string, count: number, signal: AbortSignal): Promise<FilePart> {
  const headers = { range: `bytes=0-${count - 1}` }
  const response = await http.open(at(key, '', path), signal, { headers })
  const version = versionIn(response.headers.get('etag'))
  const where = /^\?path=(.+)$/.exec(response.headers.get('content-location') ?? '')?.[1]
  if (version === null || where === undefined) {
    // An archive would go on arriving.
    void response.body?.cancel().catch(() => undefined)
    throw new ApiError(response.status, 'FILE_REFUSED', 'This is a folder, not a file.')
  }
  const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { bytes, size: total === undefined ? bytes.length : Number(total), version, realPath: decodePath(where) }
}

/** An ETag is a version in quotes. */
const versionIn = (etag: string | null): string | null => (etag === null ? null : etag.replaceAll('"', ''))

/** Writes a file if its place is as `expected`. Resolves with the new version. */
export const saveFileText = (
  key: string,
  path: string,
  text: string,
  { expected, parents }: Pick<Required<UploadOptions>, 'expected' | 'parents'>,
): Promise<string> =>
  uploadFile(key, path, new File([text], 'saved'), {
    progress: () => undefined,
    signal: new AbortController().signal,
    parents,
    expected,
  }).then((etag) => versionIn(etag) ?? '')

/** The version of each file or folder; null where there is none. */
export const readVersions = (key: string, paths: readonly string[]): Promise<(string | null)[]> =>
  http
    .request<FileVersions>(
      'POST',
      `${agentPath(key)}/files/versions`,
      { paths: paths.map((path) => encodePath(path)) },
      'harmless',
    )
    .then(({ items }) => items)

export const makeFolder = (key: string, path: string): Promise<void> => http.send('POST', at(key, '/folder', path))

export const moveFile = (key: string, from: string, to: string): Promise<void> =>
  http.send('POST', `${at(key, '/move', from)}&to=${encodePath(to)}`)

/**
 * Resolves with the path in the trash; null if it is gone for good; undefined if it is gone and the answer that said where to
 * was lost.
 */
export async function removeFile(key: string, path: string): Promise<string | null | undefined> {
  const removed = await http.request<Removed | undefined>('DELETE', at(key, '', path))
  const encoded = removed?.encodedPath
  return typeof encoded === 'string' ? decodePath(encoded) : encoded
}

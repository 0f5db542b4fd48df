import { shallowRef, watch } from 'vue'
import { type Coloured, highlight } from '@/lib/highlight/highlight.ts'
import { languageOfPath } from '@/lib/highlight/language.ts'
import type { PatchLine } from '@/lib/tasks/changes/patch.ts'

type Pieces = Coloured[number]

/** The colours of a patch's lines, by index, once the worker has answered. A side that is too long stays plain. */
export function useLineColours(path: () => string, lines: () => readonly PatchLine[] | null) {
  const colours = shallowRef<ReadonlyMap<number, Pieces>>(new Map())

  watch(
    lines,
    async (patch) => {
      const language = languageOfPath(path())
      if (patch === null || language === null) return
      const side = async (other: PatchLine['kind']): Promise<(readonly [number, Pieces])[]> => {
        const indexes = patch.flatMap(({ kind }, at) => (kind === other || kind === 'same' ? [at] : []))
        const coloured = await highlight(indexes.map((at) => patch[at]?.text ?? '').join('\n'), language)
        return (coloured ?? []).flatMap((pieces, nth) => (indexes[nth] === undefined ? [] : [[indexes[nth], pieces]]))
      }
      const [before, after] = await Promise.all([side('removed'), side('added')])
      if (lines() === patch) colours.value = new Map([...before, ...after])
    },
    { immediate: true },
  )
  return colours
}

import { AGENT_HOME } from '@slipway/protocol'
import { ref } from 'vue'
import { parentOf } from '@/lib/files/paths.ts'
import type { EntryRow } from '@/lib/files/tree.ts'

/** The type of a dragged row. Another page cannot make one that this page takes for a file of another agent. */
const ROW_TYPE = 'application/x-slipway-row'

interface Takers {
  readonly files: (folder: string, transfer: DataTransfer) => void
  readonly row: (path: string, folder: string) => void
}

/** Dragging onto folders of a tree: files of the user's machine, and rows of the tree itself. */
export function useTreeDrop({ files, row }: Takers) {
  /** The folder that would take what is dragged. */
  const target = ref<string | null>(null)
  /** The dragged row; null: none of this page. */
  let dragged: string | null = null

  const folderOf = (over: EntryRow | null): string => {
    if (over === null) return AGENT_HOME
    return over.kind === 'folder' ? over.path : parentOf(over.path)
  }

  function onDragstart(event: DragEvent, from: EntryRow): void {
    dragged = from.path
    event.dataTransfer?.setData(ROW_TYPE, '')
    if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = 'move'
  }

  function onDragover(event: DragEvent, over: EntryRow | null): void {
    const types = event.dataTransfer?.types ?? []
    const isRow = dragged !== null && types.includes(ROW_TYPE)
    if (event.dataTransfer === null || !(isRow || types.includes('Files'))) return
    event.preventDefault()
    event.dataTransfer.dropEffect = isRow ? 'move' : 'copy'
    target.value = folderOf(over)
  }

  function onDragleave(event: DragEvent): void {
    const { currentTarget, relatedTarget } = event
    if (currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return
    target.value = null
  }

  function onDrop(event: DragEvent, over: EntryRow | null): void {
    const transfer = event.dataTransfer
    target.value = null
    if (transfer === null) return
    event.preventDefault()
    if (dragged !== null && transfer.types.includes(ROW_TYPE)) row(dragged, folderOf(over))
    else if (transfer.types.includes('Files')) files(folderOf(over), transfer)
    dragged = null
  }

  return { target, onDragstart, onDragover, onDragleave, onDrop }
}

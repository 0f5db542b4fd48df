import { AGENT_HOME } from '@slipway/protocol'
import { useEventListener } from '@vueuse/core'
import { computed, ref, watch } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate, useRoute, useRouter } from 'vue-router'
import { confirm } from '@/composables/useConfirm.ts'
import { viewsOf, type View } from '@/lib/files/kinds.ts'
import { isInside, nameOf, pathOfPlace, placeOf, shownName } from '@/lib/files/paths.ts'
import { useConflict } from './useConflict.ts'
import { useDiskChanges } from './useDiskChanges.ts'
import { useEditing } from './useEditing.ts'
import { useFile } from './useFile.ts'
import { useFileActions } from './useFileActions.ts'
import { useTree } from './useTree.ts'

/** The state of an agent's page of files. The address of the page names the shown file. */
export function useFilesPage(agentKey: () => string, isRunning: () => boolean) {
  const route = useRoute()
  const router = useRouter()
  const tree = useTree(agentKey)
  const { file, show } = useFile(agentKey)
  /** A version that the page has saved itself is shown without another look at the disk. */
  const editing = useEditing(agentKey, (saved) => {
    const now = file.value
    // A file that was gone could not be read, and is there again.
    if (now.state === 'failed' && now.path === saved.path) file.value = saved
    else if (now.state === 'ready' && now.realPath === saved.realPath) file.value = { ...saved, path: now.path }
  })

  const shown = computed(() => pathOfPlace(route.query['file']))
  const line = computed(() => {
    const wanted = Number(route.query['line'])
    return Number.isSafeInteger(wanted) && wanted > 0 ? wanted : null
  })
  const views = computed(() => viewsOf(shown.value ?? ''))
  const chosenView = ref<View | null>(null)
  /** A line of a search is a line of the text. */
  const view = computed(() => chosenView.value ?? (line.value !== null ? 'text' : (views.value[0] ?? 'text')))
  watch(shown, () => (chosenView.value = null))

  const open = (path: string, at: number | null = null): Promise<unknown> =>
    router.push({ query: { file: placeOf(path), ...(at !== null && { line: String(at) }) } })
  const close = (): Promise<unknown> => router.push({ query: {} })

  const actions = useFileActions({
    agentKey,
    tree,
    mayChange: (path) => (shown.value !== null && isInside(shown.value, path) ? mayLeave() : Promise.resolve(true)),
    moved: (from, to) => {
      const path = shown.value
      if (path === null || !isInside(path, from)) return
      // What the user has typed meanwhile is asked about before its editor closes.
      if (!editing.isDirty.value) editing.end()
      void router.replace({ query: to === null ? {} : { file: placeOf(to + path.slice(from.length)) } })
    },
  })

  async function mayLeave(): Promise<boolean> {
    if (!editing.isDirty.value) return true
    const name = shownName(nameOf(editing.file.value?.path ?? ''))
    const isSure = await confirm({
      title: `Discard your changes of ${name}?`,
      body: 'They have not been saved.',
      action: 'Discard',
      danger: true,
    })
    if (isSure) editing.end()
    return isSure
  }
  /** The page sends the files, so that they end with it. */
  async function mayEndUploads(): Promise<boolean> {
    if (!actions.transfers.busy.value) return true
    return confirm({
      title: 'Leave before all files have arrived?',
      body: 'Uploads end when you leave this page.',
      action: 'Leave',
      danger: true,
    })
  }
  const mayLeavePage = async (): Promise<boolean> => (await mayLeave()) && (await mayEndUploads())
  onBeforeRouteLeave(mayLeavePage)
  onBeforeRouteUpdate((to, from) => {
    if (to.path !== from.path) return mayLeavePage()
    return to.query['file'] === from.query['file'] ? true : mayLeave()
  })
  useEventListener(window, 'beforeunload', (event) => {
    if (editing.isDirty.value) event.preventDefault()
  })

  /** Opens a folder that the address of the page names, also one that is hidden. */
  async function showFolder(folder: string): Promise<void> {
    if (/\/\./.test(folder)) tree.showsHidden.value = true
    await tree.reveal(folder)
    tree.expand(folder)
  }
  watch(
    () => isRunning(),
    (runs) => {
      if (!runs) return
      void tree.read(AGENT_HOME)
      // The folders of a file open with it.
      const folder = shown.value === null ? pathOfPlace(route.query['folder']) : null
      if (folder !== null) void showFolder(folder)
    },
    { immediate: true },
  )
  watch(
    () => [isRunning(), shown.value] as const,
    ([runs, path], before) => {
      // What the user has typed stays while the agent does not run, and is saved when it runs again.
      if (path === before?.[1] && editing.isDirty.value) return
      editing.end()
      if (runs) void show(path)
      if (path === null) return
      if (runs) void tree.reveal(path)
      else tree.current.value = path
    },
    { immediate: true },
  )

  /** Whether the shown file is gone from the disk. Its content stays in sight. */
  const isGone = ref(false)
  watch(file, () => (isGone.value = false))
  useDiskChanges({
    agentKey,
    tree,
    file: () => (file.value.state === 'ready' ? file.value : null),
    changed: (version) => {
      if (editing.isSaving.value) return
      if (version === null) isGone.value = true
      else if (editing.isDirty.value) editing.isConflict.value = true
      else void reload()
    },
    isWanted: isRunning,
  })

  /** The editor is opened again with the new text. Resolves with why the file could not be read; null if it was. */
  async function reload(): Promise<string | null> {
    const edited = editing.file.value
    const changes = editing.countChanges()
    await show(shown.value)
    // The user may have closed the editor meanwhile, or typed into it.
    if (edited !== null && editing.file.value === edited && file.value.state === 'ready') {
      if (editing.countChanges() === changes) editing.begin(file.value)
      else editing.isConflict.value = true
    }
    return file.value.state === 'failed' ? file.value.error : null
  }

  const conflict = useConflict({ agentKey, editing, reload })
  const errorOfEditing = computed(() => editing.error.value ?? conflict.error.value)
  return {
    tree,
    file,
    show,
    editing,
    shown,
    line,
    views,
    view,
    chosenView,
    open,
    close,
    actions,
    mayLeave,
    isGone,
    conflict,
    errorOfEditing,
  }
}

import { useBusyRows } from '../requests/useBusyRows.ts'
import { confirm } from '../useConfirm.ts'

interface Hook {
  readonly id: string
  readonly name: string
}

interface Parts<T extends Hook, Created extends T> {
  readonly update: (id: string, enabled: boolean) => Promise<T>
  readonly rotate: (id: string) => Promise<Created>
  readonly remove: (id: string) => Promise<unknown>
  /** What a new secret means. */
  readonly rotated: string
  /** What a deletion means. */
  readonly removed: string
  /** Store the outcome. */
  readonly put: (hook: T) => void
  readonly drop: (id: string) => void
}

/** What a page can do with a webhook: switch, give a new secret, delete. */
export function useHookActions<T extends Hook, Created extends T>(parts: Parts<T, Created>) {
  const { busy, act } = useBusyRows()

  const toggle = (hook: T, enabled: boolean): Promise<boolean> =>
    act(hook, `Could not switch ${enabled ? 'on' : 'off'} “${hook.name}”`, async () =>
      parts.put(await parts.update(hook.id, enabled)),
    )

  /** Resolves with the webhook and its new secret, or null. */
  async function rotate(hook: T): Promise<Created | null> {
    const title = `Give “${hook.name}” a new secret?`
    if (!(await confirm({ title, body: parts.rotated, action: 'Replace', danger: true }))) return null
    let created: Created | null = null
    await act(hook, `Could not replace the secret of “${hook.name}”`, async () => {
      created = await parts.rotate(hook.id)
    })
    return created
  }

  async function remove(hook: T, thenFocus: Element | null): Promise<void> {
    const title = `Delete “${hook.name}”?`
    if (!(await confirm({ title, body: parts.removed, action: 'Delete', danger: true, thenFocus }))) return
    await act(hook, `Could not delete “${hook.name}”`, async () => {
      await parts.remove(hook.id)
      parts.drop(hook.id)
    })
  }

  return { busy, toggle, rotate, remove }
}

import { defineStore } from 'pinia'
import { type Ref, ref } from 'vue'
import type { FieldDraft } from '@/lib/dialogs/fields.ts'

/** An answer to a permission that the user has begun. */
export interface ApprovalDraft {
  step: 'choose' | 'edit' | 'deny'
  reason: string
  command: string
}

/** What the user has begun to answer, by the ids of the questions. It outlives a card, such as one of a tray that closes. */
export const useDraftsStore = defineStore('drafts', () => {
  const approvals = new Map<string, Ref<ApprovalDraft>>()
  const fields = new Map<string, Ref<FieldDraft[]>>()

  function kept<T>(drafts: Map<string, Ref<T>>, id: string, begin: () => Ref<T>): Ref<T> {
    const draft = drafts.get(id) ?? begin()
    drafts.set(id, draft)
    return draft
  }

  return {
    approval: (id: string, command: string): Ref<ApprovalDraft> =>
      kept(approvals, id, () => ref<ApprovalDraft>({ step: 'choose', reason: '', command })),
    fields: (id: string, begin: () => FieldDraft[]): Ref<FieldDraft[]> => kept(fields, id, () => ref(begin())),
    /** The question is closed. */
    forget(id: string): void {
      approvals.delete(id)
      fields.delete(id)
    },
    clear(): void {
      approvals.clear()
      fields.clear()
    },
  }
})

/** Whether the card of the question is in the window's sight. */
export const isInSight = (id: string): boolean => {
  const rect = document.querySelector(`[data-dialog="${CSS.escape(id)}"]`)?.getBoundingClientRect()
  return rect !== undefined && rect.height > 0 && rect.bottom > 0 && rect.top < innerHeight
}

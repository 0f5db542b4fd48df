/* global HTMLLinkElement, HTMLScriptElement, addEventListener, document, location, sessionStorage */
// Asks again for what the page is made of and did not arrive: a network that changes under a request, as it does on the
// server's own machine with each container, would otherwise leave a page without its looks, or an empty one.
;(() => {
  /** How long until it is asked for again, in milliseconds. */
  const AGAIN_AFTER_MS = [250, 1_000, 3_000]
  const RELOADS = 'slipway-reloads'
  const LOST = 'Slipway’s page did not arrive whole. Look at your connection, then reload it.'

  /** A style sheet is replaced by one like it; it counts its own trials. */
  const askAgain = (link) => {
    const trials = Number(link.dataset.trials ?? 0)
    if (trials >= AGAIN_AFTER_MS.length) return
    const another = link.cloneNode()
    another.dataset.trials = String(trials + 1)
    setTimeout(() => link.replaceWith(another), AGAIN_AFTER_MS[trials])
  }

  /** Remembered over a reload; a page without storage takes it that it has reloaded often enough. */
  const reloads = (count) => {
    try {
      if (count !== undefined) sessionStorage.setItem(RELOADS, String(count))
      return Number(sessionStorage.getItem(RELOADS))
    } catch {
      return AGAIN_AFTER_MS.length
    }
  }

  let isWhole = true
  /** A module that failed stays failed as long as the page is there. */
  const reload = () => {
    isWhole = false
    const before = reloads()
    if (before < AGAIN_AFTER_MS.length) {
      reloads(before + 1)
      setTimeout(() => location.reload(), AGAIN_AFTER_MS[before])
    } else document.body.textContent = LOST
  }

  // Such errors do not bubble.
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') askAgain(target)
      else if (target instanceof HTMLScriptElement && target.type === 'module') reload()
    },
    true,
  )
  // Whoever reloads a page that was lost, or comes again, has all of the trials again.
  addEventListener('load', () => {
    if (isWhole || document.body.textContent === LOST) reloads(0)
  })
})()

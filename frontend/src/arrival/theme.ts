// Sets the theme before the first paint, so that a light page never flashes dark, or the other way round.
// The key and its values are those of src/composables/shell/useTheme.ts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('slipway-theme')
  } catch {
    // Without access to storage, the system's theme applies.
  }
  const light = chosen === 'light' || (chosen !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches)
  document.documentElement.classList.toggle('dark', !light)
  document.documentElement.classList.toggle('light', light)
})()

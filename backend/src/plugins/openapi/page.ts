/** The API's page: Swagger UI, with corrections for low vision, keyboards and screen readers. */
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

/**
 * Most dark colours of Swagger UI are readable, and most light ones are not. `light-dark()` follows the scheme that the
 * class `dark-mode` sets. `html:root` is as specific as the selectors that begin with that class.
 */
const CSS = `
html { color-scheme: light dark }
body { background: light-dark(#fafafa, #1c2022) }

html:root .swagger-ui {
  /* There is one server to choose, and no answer has links. A phone has no room for that column. */
  .scheme-container .schemes .schemes-server-container, .response-col_links { display: none }
  .scheme-container .schemes { justify-content: flex-end }
  /* Two buttons fit beside the title on a phone. */
  .opblock .opblock-section-header .try-out__btn { margin-left: 8px; padding-inline: 12px }
  .opblock.opblock-put .opblock-section-header { background: light-dark(#fffc, #3a281f) }
  .opblock .opblock-section-header .try-out__btn.cancel { border-color: currentColor; color: light-dark(#b3261e, #ff8a8a) }
  /* Colours of code are readable on this background. The buttons over a short answer leave its last line free. */
  .opblock .highlight-code pre.microlight, .opblock pre.microlight { background: #16181b !important }
  .highlight-code:has(> .download-contents) > pre.microlight { padding-bottom: 48px !important }
  .copy-to-clipboard, .download-contents { background: #545d61 }
  /* A long pattern wraps, because the keyboard cannot reach a box that scrolls. */
  .json-schema-2020-12__constraint { overflow-wrap: anywhere }
  /* Keyboard users see the focus, which the dark colours would hide. Pointer users do not need it. */
  :focus-visible { outline: 2px solid light-dark(#1f62b5, #51a8ff) !important; outline-offset: 2px }
  :focus:not(:focus-visible) { outline: none }
}

/* Text is hard to read while its colours change. */
@media (prefers-reduced-motion: reduce) { html:root .swagger-ui * { transition: none !important } }

html:not(.dark-mode) .swagger-ui {
  .opblock .opblock-summary-method, .info .title small pre, .json-schema-2020-12__constraint--string { color: #080a0b; text-shadow: none }
  .info .title small { background: #c3c8d1 }
  .info a, .info .url { color: #1f62b5 }
  .btn.authorize, .btn.authorize svg { border-color: currentColor; color: #0f7048 }
  .authorization__btn .unlocked { opacity: .7 }
  .btn.execute { background: #1f62b5; border-color: #1f62b5 }
  .parameter__in, .json-schema-2020-12-expand-deep-button, [class$="--secondary"], [class$="--secondary"] p { color: #4a4f59 }
  .json-schema-2020-12__attribute--primary { color: #40409a }
  .renderedMarkdown code { color: #6b0fb8 }
  .required::after, .parameter__name.required span { color: #b3261e }
}
`

/**
 * Follows the system's colour scheme while the page is open, and sets the width for phones. Swagger UI creates its
 * parts when they are opened, so each part is corrected as it appears: a link inside a button that does the same, a
 * label that differs from its text, a missing label, and a box that only a pointer can scroll.
 */
const SCRIPT = `
const system = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', system.matches)
follow()
system.addEventListener('change', follow)

document.head.insertAdjacentHTML('beforeend', '<meta name="viewport" content="width=device-width, initial-scale=1">')

const mends = [
  ['.opblock-summary-control a', (link) => link.removeAttribute('href')],
  ['.modal-btn', (button) => button.removeAttribute('aria-label')],
  ['.close-modal', (button) => button.setAttribute('aria-label', 'Close')],
  ['.body-param__text', (text) => text.setAttribute('aria-label', 'Request body')],
  ['.json-schema-2020-12-accordion:not(:has(.json-schema-2020-12__title))', (button) => button.setAttribute('aria-label', 'Schema')],
  ['[data-param-name] :is(select, input)', (field) =>
    field.setAttribute('aria-label', field.closest('[data-param-name]').dataset.paramName)],
  ['pre.microlight', (example) => example.setAttribute('tabindex', '0')],
]
new MutationObserver(() => {
  for (const [selector, mend] of mends) document.querySelectorAll(selector).forEach(mend)
}).observe(document.body, { childList: true, subtree: true })
`

/**
 * Options of the plugin that serves the page. The layout has no top bar, whose only field is another document's
 * address.
 */
export const API_PAGE: FastifySwaggerUiOptions = {
  // With all groups open, Swagger UI draws only the first ones if there are more than about 130 operations.
  uiConfig: { deepLinking: true, docExpansion: 'none', layout: 'BaseLayout' },
  theme: {
    title: 'Slipway API',
    css: [{ filename: 'page.css', content: CSS }],
    js: [{ filename: 'page.js', content: SCRIPT }],
  },
}

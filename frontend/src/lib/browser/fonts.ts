/**
 * A font face whose file failed to load stays failed. Inserting its rule again makes a new face, which finds the file
 * in the cache. Key: the file's URL.
 */
const renewals = new Map<string, Promise<void>>()

const bare = (family: string): string => family.replaceAll(/["']/g, '')

const isRuleOf = (face: FontFace, rule: CSSRule): rule is CSSFontFaceRule =>
  rule instanceof CSSFontFaceRule &&
  bare(rule.style.getPropertyValue('font-family')) === bare(face.family) &&
  rule.style.getPropertyValue('unicode-range') === face.unicodeRange

async function renew(url: string, sheet: CSSStyleSheet, rule: CSSRule): Promise<void> {
  await slipway.bring([url])
  const index = [...sheet.cssRules].indexOf(rule)
  if (index === -1) return
  sheet.deleteRule(index)
  sheet.insertRule(rule.cssText, index)
}

function renewOnce(face: FontFace): Promise<void> {
  for (const sheet of document.styleSheets) {
    const rule = [...sheet.cssRules].find((each) => isRuleOf(face, each))
    const url = rule && /url\("([^"]+)"\)/.exec(rule.cssText)?.[1]
    if (rule === undefined || url === undefined) continue
    const renewal = renewals.get(url) ?? renew(url, sheet, rule).finally(() => renewals.delete(url))
    renewals.set(url, renewal)
    return renewal
  }
  return Promise.resolve()
}

const renewFailed = (): Promise<unknown> =>
  Promise.allSettled([...document.fonts].filter(({ status }) => status === 'error').map(renewOnce))

/** Retries font files that failed to load. */
export function watchFonts(): void {
  document.fonts.addEventListener('loadingerror', () => void renewFailed())
}

/**
 * Resolves when the fonts for `text` have loaded, or have failed twice.
 *
 * @param font as in CSS: a size and families
 */
export async function loadFonts(font: string, text: string): Promise<void> {
  try {
    await document.fonts.load(font, text)
  } catch {
    await renewFailed()
    // After a second failure the browser draws the text in the next family.
    await document.fonts.load(font, text).catch(() => [])
  }
}

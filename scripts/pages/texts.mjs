/** The texts of the pages, by which the tests find what people press, and the API as a program sees it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './stack.mjs'

/** The tags of the locales, and what their pages say in lang. */
export const locales = { pt: 'pt-BR', en: 'en', es: 'es', fr: 'fr', de: 'de' }

const folder = join(root, 'shared', 'i18n', 'messages', 'web')
const texts = Object.fromEntries(Object.keys(locales).map(locale => [locale, read(locale)]))

function read(locale) {
  const files = readdirSync(folder).filter(name => name.endsWith(`.${locale}.json`))
  return Object.assign({}, ...files.map(name => JSON.parse(readFileSync(join(folder, name), 'utf8'))))
}

/** Returns the text of a key. That there is none is an error of the test. */
export function text(locale, key, fields = {}) {
  const found = texts[locale][key]
  if (found === undefined) throw new Error(`there is no text ${key} in ${locale}`)
  return found.replace(/\{([a-z_]+)\}/g, (whole, name) => fields[name] ?? whole)
}

/** Returns a form that the text of a key matches, whatever stands in its fields. */
export function form(locale, key) {
  const escaped = text(locale, key).replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[a-z_]+\}/g, '.+')
  return new RegExp(escaped)
}

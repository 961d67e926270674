/** The pages on how to connect other programs, as these suites follow them. */
import { parse } from 'node-html-parser'

/** The channel that plays without a network. */
export const testChannel = 'MiramundoTest.br'

/** Returns the settings that a page shows, form by form: what each field is called, and its value in the files of the program. */
export async function settingsOf(address) {
  const page = await load(address)
  return page.querySelectorAll('dl.terms').map(form => Object.fromEntries(form.querySelectorAll('[data-setting]').map(field => [
    field.getAttribute('data-setting'), { label: field.querySelector('dt').text, value: field.getAttribute('data-value'), shown: field.querySelector('code').text }
  ])))
}

/** Returns the texts to paste that a page shows, by their names. */
export async function textsOf(address) {
  const page = await load(address)
  return Object.fromEntries(page.querySelectorAll('[data-text]').map(text => [text.getAttribute('data-text'), text.text]))
}

async function load(address) {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return parse(await response.text(), { blockTextElements: { script: true, style: true } })
}

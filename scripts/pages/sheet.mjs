/** The contact sheet: every picture that was taken of the pages, for a person to look over. */
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { launch } from './browser.mjs'
import { pages } from './pages.mjs'

/** Draws the pictures of a folder as a page and as one picture in another, and returns the path of the page. */
export async function draw(shots, folder) {
  const all = readdirSync(shots).filter(file => file.endsWith('.jpg')).map(file => {
    const [name, locale, width, theme] = file.split('.')
    return { file: relative(folder, join(shots, file)), name, locale, width: Number(width), theme }
  })
  const index = join(folder, 'index.html')
  await writeFile(index, document(all))
  await writeFile(join(folder, 'contact.html'), document(all.filter(({ locale }) => locale === 'pt')))
  await photograph(join(folder, 'contact.html'), join(folder, 'contact.png'))
  return index
}

const order = new Map(pages.map(({ name }, n) => [name, n]))
const style = `
  body { margin: 1rem; font: 13px system-ui, sans-serif; background: #777; color: #fff }
  section { display: flex; flex-wrap: wrap; gap: .5rem; align-items: flex-start; margin-block-end: 1.5rem }
  h2 { flex-basis: 100%; margin: 0 }
  figure { margin: 0 } a { color: inherit } img { display: block; height: 20rem; width: auto }`

/** The sheet as a page, a row for each kind of page. All names in it are our own. */
function document(all) {
  const names = [...new Set(all.map(({ name }) => name))].sort((a, b) => order.get(a) - order.get(b))
  const rows = names.map(name => {
    const figures = all.filter(shot => shot.name === name).sort((a, b) => a.locale.localeCompare(b.locale) || a.width - b.width || a.theme.localeCompare(b.theme))
    return `<section><h2>${name}</h2>${figures.map(figure).join('')}</section>`
  })
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>The pages</title><style>${style}</style>${rows.join('\n')}`
}

function figure({ file, name, locale, width, theme }) {
  const caption = `${locale} ${width} ${theme}`
  return `<figure><a href="${file}"><img loading="lazy" src="${file}" alt="${name} ${caption}"></a><figcaption>${caption}</figcaption></figure>`
}

async function photograph(from, to) {
  const browser = await launch()
  try {
    const page = await browser.newPage({ viewport: { width: 1900, height: 1200 }, deviceScaleFactor: 0.75 })
    await page.goto(pathToFileURL(from).href)
    await page.evaluate(() => Promise.all([...document.images].map(image => { image.loading = 'eager'; return image.decode() })))
    await page.screenshot({ path: to, fullPage: true })
  } finally {
    await browser.close()
  }
}

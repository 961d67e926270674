/** What the globe is drawn from: borders, which the build makes of world-atlas, and what the catalog has in each place. */

import { feature, merge, mesh } from "topojson-client";
import type { Feature, MultiLineString, MultiPolygon } from "geojson";
import type { GeometryCollection, MultiPolygon as Parts, Polygon as Part, Topology } from "topojson-specification";

type Borders = Topology<{ countries: GeometryCollection }>;

/** A city with stations. */
export interface City {
  id: string;
  name: string;
  country: string;
  stations: number;
  /** Sine and cosine of latitude and longitude. */
  sinLat: number;
  cosLat: number;
  sinLon: number;
  cosLon: number;
  lon: number;
  lat: number;
}

export interface Country {
  code: string;
  /** TV channels and stations. */
  tv: number;
  radio: number;
  /** Longitude and latitude of its middle. */
  middle: [number, number];
  /** Null for a country that is too small to have borders on the globe. */
  shape: Feature | null;
}

export interface World {
  land: MultiPolygon;
  borders: MultiLineString;
  countries: Map<string, Country>;
  /** Those with the most stations first. */
  cities: City[];
}

interface Built {
  borders: Borders;
  middles: Record<string, [number, number]>;
}

interface Places {
  countries: Record<string, [number, number]>;
  cities: Record<string, [number, string, number, number, number][]>;
}

async function read<T>(address: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error(String(response.status));
  return await response.json() as T;
}

/** Reads the world. Rejects when it cannot be had. */
export async function load(borders: string, places: string, signal: AbortSignal): Promise<World> {
  const [built, shown] = await Promise.all([read<Built>(borders, signal), read<Places>(places, signal)]);
  const { countries } = built.borders.objects;
  const shapes = new Map(countries.geometries.map((geometry) => [String(geometry.id), feature(built.borders, geometry) as Feature]));
  const all = Object.entries(shown.countries).filter(([code]) => built.middles[code]);
  return {
    land: merge(built.borders, countries.geometries as (Part | Parts)[]),
    borders: mesh(built.borders, countries as never, (a, b) => a !== b),
    countries: new Map(all.map(([code, [tv, radio]]) => [code, { code, tv, radio, middle: built.middles[code]!, shape: shapes.get(code) ?? null }])),
    cities: Object.entries(shown.cities).flatMap(([country, rows]) => rows.map((row) => city(country, row))).sort((a, b) => b.stations - a.stations),
  };
}

function city(country: string, [id, name, lat, lon, stations]: [number, string, number, number, number]): City {
  const [y, x] = [lat * Math.PI / 180, lon * Math.PI / 180];
  return { id: String(id), name, country, stations, lat, lon, sinLat: Math.sin(y), cosLat: Math.cos(y), sinLon: Math.sin(x), cosLon: Math.cos(x) };
}

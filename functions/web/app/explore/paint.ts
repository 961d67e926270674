/** Draws the globe on a canvas, in the colours of the stylesheet. */

import { geoGraticule10, geoOrthographic, geoPath, type GeoProjection } from "d3-geo";
import type { Feature } from "geojson";
import type { City, World } from "./data";

/** How the globe is looked at. */
export interface Sight {
  lon: number; // in the middle, in degrees
  lat: number;
  zoom: number; // 1 shows the whole globe
}

/** A city as it was drawn last, in pixels. */
export interface Dot {
  city: City;
  x: number;
  y: number;
  r: number;
}

const tau = 2 * Math.PI;
const room = 14; // between the globe and the edge, in pixels
const most = 14; // names of cities that are written
const long = 9; // ms for which a drawing may take, while it moves: beyond it borders and glow wait until it is still

export class Painter {
  /** The dots that are seen, those of the largest cities first. */
  dots: Dot[] = [];
  readonly projection: GeoProjection = geoOrthographic().clipAngle(90).precision(0);
  private readonly pen: CanvasRenderingContext2D;
  private readonly graticule = geoGraticule10();
  private readonly colours: Record<"sea" | "rim" | "land" | "line" | "lit" | "dot" | "glow" | "name" | "halo", string>;
  private cost = 0; // ms that a drawing took while it moved, on average
  private slow = false;
  private width = 0;
  private height = 0;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly world: World) {
    this.pen = canvas.getContext("2d")!;
    this.colours = this.read();
  }

  /** The radius of the globe at zoom 1. */
  get radius(): number {
    return Math.max(Math.min(this.width, this.height) / 2 - room, 40);
  }

  private read(): typeof this.colours {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string): string => style.getPropertyValue(`--globe-${name}`).trim();
    return { sea: of("sea"), rim: of("rim"), land: of("land"), line: of("line"), lit: of("lit"), dot: of("dot"), glow: of("glow"), name: of("name"), halo: of("sea") };
  }

  /** Takes the size of its room. */
  fit(width: number, height: number): void {
    [this.width, this.height] = [width, height];
    const sharp = Math.min(devicePixelRatio, 2);
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    this.pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  }

  /** Draws the globe. What moves is drawn without the names of cities and, on a slow phone, without borders. */
  draw(sight: Sight, lit: Feature | null, chosen: string, moving: boolean, cross: boolean): void {
    const { pen, width, height, colours, projection } = this;
    const begun = performance.now();
    const whole = !moving || !this.slow;
    const r = this.radius * sight.zoom;
    projection.rotate([-sight.lon, -sight.lat]).scale(r).translate([width / 2, height / 2]);
    const path = geoPath(projection, pen);
    pen.clearRect(0, 0, width, height);
    const sea = pen.createRadialGradient(width / 2 - r / 3, height / 2 - r / 3, r / 8, width / 2, height / 2, r);
    sea.addColorStop(0, colours.rim);
    sea.addColorStop(1, colours.sea);
    pen.fillStyle = sea;
    pen.beginPath();
    pen.arc(width / 2, height / 2, r, 0, tau);
    pen.fill();
    pen.lineJoin = "round";
    if (!moving) this.stroke(() => path(this.graticule), colours.line, .3);
    pen.fillStyle = colours.land;
    pen.beginPath();
    path(this.world.land);
    pen.fill();
    if (lit) {
      pen.fillStyle = colours.lit;
      pen.beginPath();
      path(lit);
      pen.fill();
    }
    if (whole) this.stroke(() => path(this.world.borders), colours.line, .8);
    this.place(sight, r);
    this.shine(chosen, whole);
    if (!moving) this.write(chosen);
    if (cross) this.stroke(() => pen.arc(width / 2, height / 2, 16, 0, tau), colours.name, 2);
    if (!moving) return;
    this.cost += (performance.now() - begun - this.cost) / 4;
    this.slow ||= this.cost > long; // for good: to come and go would flicker
  }

  private stroke(trace: () => void, colour: string, width: number): void {
    this.pen.strokeStyle = colour;
    this.pen.lineWidth = width;
    this.pen.beginPath();
    trace();
    this.pen.stroke();
  }

  /** Finds where the cities on this side of the globe are. */
  private place({ lon, lat, zoom }: Sight, r: number): void {
    const [y0, x0] = [lat * Math.PI / 180, lon * Math.PI / 180];
    const [sin0, cos0, sinX, cosX] = [Math.sin(y0), Math.cos(y0), Math.sin(x0), Math.cos(x0)];
    const grow = .8 + .3 * Math.sqrt(zoom);
    this.dots = [];
    for (const city of this.world.cities) {
      const cosine = city.cosLon * cosX + city.sinLon * sinX;
      if (sin0 * city.sinLat + cos0 * city.cosLat * cosine <= .02) continue;
      const x = this.width / 2 + r * city.cosLat * (city.sinLon * cosX - city.cosLon * sinX);
      const y = this.height / 2 - r * (cos0 * city.sinLat - sin0 * city.cosLat * cosine);
      if (x < -20 || y < -20 || x > this.width + 20 || y > this.height + 20) continue;
      this.dots.push({ city, x, y, r: Math.min(.7 + Math.sqrt(city.stations) * .42, 6) * grow });
    }
  }

  private shine(chosen: string, glow: boolean): void {
    const { pen, colours } = this;
    for (const [colour, grow] of [[colours.glow, 2.2], [colours.dot, 1]] as const) {
      if (!glow && grow > 1) continue;
      pen.fillStyle = colour;
      pen.beginPath();
      for (const { x, y, r } of this.dots) {
        pen.moveTo(x + r * grow, y);
        pen.arc(x, y, r * grow, 0, tau);
      }
      pen.fill();
    }
    const at = this.dots.find(({ city }) => city.id === chosen);
    if (at) this.stroke(() => pen.arc(at.x, at.y, at.r + 5, 0, tau), colours.name, 2);
  }

  /** Writes the names of the largest cities that have room. */
  private write(chosen: string): void {
    const { pen, colours } = this;
    const taken: [number, number, number, number][] = [];
    pen.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    const first = this.dots.filter(({ city }) => city.id === chosen);
    for (const { city, x, y, r } of [...first, ...this.dots.slice(0, 60)]) {
      if (taken.length >= most) break;
      const left = x + r + 4;
      const box: [number, number, number, number] = [left, y - 9, left + pen.measureText(city.name).width + 4, y + 9];
      if (box[2] > this.width || taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      pen.strokeStyle = colours.halo;
      pen.strokeText(city.name, left, y);
      pen.fillStyle = colours.name;
      pen.fillText(city.name, left, y);
    }
  }
}

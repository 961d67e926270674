/** The globe: turned by dragging, the wheel, two fingers and keys. What is pressed on it is told to the page. */

import { geoContains, geoDistance } from "d3-geo";
import { h, iconButton } from "../dom";
import { leaving } from "../page";
import { count, country as nameOf, t } from "../texts";
import type { City, Country, World } from "./data";
import { Glide } from "./glide";
import { Painter, type Sight } from "./paint";

/** What is under the pointer or in the middle of the globe. */
export type Spot = { city: City } | { country: Country };

const least = .9;
const largest = 24;
const steepest = 85; // degrees of latitude in the middle
const touch = 14; // pixels around a city that are pressed with it
const still = 120; // ms without a movement after which everything is drawn
const closer = 5; // zoom at which a city is shown
const country = 2.2; // and a country of common size

const limit = (low: number, value: number, high: number): number => Math.min(Math.max(value, low), high);
const round = (lon: number): number => (lon + 540) % 360 - 180;

/** Returns what a spot is called, for the address and for people. */
export function called(spot: Spot): { at: string; name: string; said: string } {
  if ("city" in spot) {
    const { id, name, country, stations } = spot.city;
    return { at: id, name, said: `${name}, ${nameOf(country)}: ${count("explore.ui.stations", stations)}` };
  }
  const { code, tv, radio } = spot.country;
  const has = [tv > 0 && count("explore.ui.channels", tv), radio > 0 && count("explore.ui.stations", radio)].filter(Boolean);
  return { at: code, name: nameOf(code), said: `${nameOf(code)}: ${has.join(", ")}` };
}

export class Globe {
  private readonly canvas = h("canvas", { class: "globe-canvas" });
  private readonly label = h("div", { class: "globe-label", "aria-hidden": "true", hidden: true });
  private readonly ball = h("div", {
    class: "globe-ball", role: "application", tabindex: 0, "aria-label": t("explore.ui.globe"), "aria-describedby": "globe-keys",
  }, this.canvas);
  private readonly painter: Painter;
  private readonly sight: Sight;
  private readonly glide: Glide;
  private chosen: Spot | null = null;
  private lit: Spot | null = null;
  private asked = 0; // the frame that is asked for
  private quiet = 0; // timer until everything is drawn
  private moved = -Infinity;
  private pinched = 0; // distance of two fingers
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private pressed: { x: number; y: number; far: boolean } | null = null;

  constructor(box: HTMLElement, private readonly world: World, at: [number, number], private readonly told: { open(spot: Spot): void; middle(said: string): void }) {
    this.sight = { lon: at[0], lat: at[1], zoom: 1 };
    this.glide = new Glide(this.sight, () => this.turn());
    this.painter = new Painter(this.canvas, world);
    box.replaceChildren(this.ball, this.label,
      h("p", { id: "globe-keys", class: "sr" }, t("explore.ui.keys")),
      h("div", { class: "globe-zoom" },
        iconButton("plus", t("explore.ui.zoom_in"), () => this.glide.to({ zoom: this.zoomed(1.7) })),
        iconButton("minus", t("explore.ui.zoom_out"), () => this.glide.to({ zoom: this.zoomed(1 / 1.7) }))));
    this.listen();
  }

  private listen(): void {
    const { ball } = this;
    const sizes = new ResizeObserver(() => {
      this.painter.fit(ball.clientWidth, ball.clientHeight);
      this.draw();
    });
    sizes.observe(ball);
    leaving().addEventListener("abort", () => {
      sizes.disconnect();
      this.glide.stop();
      cancelAnimationFrame(this.asked);
      clearTimeout(this.quiet);
    });
    ball.addEventListener("pointerdown", (event) => this.down(event));
    ball.addEventListener("pointermove", (event) => this.move(event));
    ball.addEventListener("pointerup", (event) => this.up(event, true));
    ball.addEventListener("pointercancel", (event) => this.up(event, false));
    ball.addEventListener("pointerleave", () => this.light(null));
    ball.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    ball.addEventListener("keydown", (event) => this.key(event));
    ball.addEventListener("focus", () => this.draw());
    ball.addEventListener("blur", () => this.draw());
  }

  /** Shows a country or a city that was chosen elsewhere, or nothing. */
  show(at: string): void {
    const city = this.world.cities.find(({ id }) => id === at);
    const land = this.world.countries.get(at);
    this.chosen = city ? { city } : land ? { country: land } : null;
    if (city) this.glide.to({ lon: city.lon, lat: city.lat, zoom: Math.max(this.sight.zoom, closer) });
    else if (land) this.glide.to({ lon: land.middle[0], lat: land.middle[1], zoom: Math.max(this.sight.zoom, country) });
    else this.glide.to({ zoom: 1 });
    this.draw();
  }

  private zoomed(by: number): number {
    return limit(least, this.sight.zoom * by, largest);
  }

  /** Draws what moved, and everything once it is still. */
  private turn(): void {
    this.sight.lon = round(this.sight.lon);
    this.sight.lat = limit(-steepest, this.sight.lat, steepest);
    this.moved = performance.now();
    this.draw();
    clearTimeout(this.quiet);
    this.quiet = window.setTimeout(() => this.draw(), still + 20);
  }

  private draw(): void {
    cancelAnimationFrame(this.asked);
    this.asked = requestAnimationFrame(() => {
      const lit = this.lit ?? this.chosen;
      this.painter.draw(this.sight, lit && "country" in lit ? lit.country.shape : null, this.chosen && "city" in this.chosen ? this.chosen.city.id : "",
        performance.now() - this.moved < still, this.ball.matches(":focus-visible"));
    });
  }

  /** Turns the globe by so many pixels. */
  private drag(dx: number, dy: number): void {
    const perPixel = 180 / Math.PI / (this.painter.radius * this.sight.zoom);
    this.sight.lon -= dx * perPixel / Math.max(Math.cos(this.sight.lat * Math.PI / 180), .35);
    this.sight.lat += dy * perPixel;
    this.turn();
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.ball.setPointerCapture(event.pointerId);
    this.glide.stop();
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.pressed = this.fingers.size === 1 ? { x: event.clientX, y: event.clientY, far: false } : null;
    this.pinched = this.spread();
  }

  private move(event: PointerEvent): void {
    const was = this.fingers.get(event.pointerId);
    if (!was) return void (event.pointerType === "mouse" && this.hover(event));
    const [dx, dy] = [event.clientX - was.x, event.clientY - was.y];
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pressed && !this.pressed.far) {
      if (Math.hypot(event.clientX - this.pressed.x, event.clientY - this.pressed.y) < 6) return;
      this.pressed.far = true;
      this.light(null);
    }
    const n = this.fingers.size;
    if (n > 1) {
      const spread = this.spread();
      if (this.pinched > 0) this.sight.zoom = this.zoomed(spread / this.pinched);
      this.pinched = spread;
    }
    this.drag(dx / n, dy / n);
    if (n === 1) this.glide.feel(this.sight);
  }

  private spread(): number {
    const [a, b] = [...this.fingers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  private up(event: PointerEvent, meant: boolean): void {
    this.fingers.delete(event.pointerId);
    this.pinched = this.spread();
    if (!this.pressed || this.fingers.size > 0) return;
    const { far } = this.pressed;
    this.pressed = null;
    if (far) return this.glide.go();
    const spot = meant ? this.at(event) : null;
    if (spot) this.told.open(spot);
  }

  /** Zooms over the globe; beside it, and where it cannot get smaller, the page scrolls. */
  private wheel(event: WheelEvent): void {
    const [x, y] = this.within(event);
    const [dx, dy] = [x - this.ball.clientWidth / 2, y - this.ball.clientHeight / 2];
    const inside = Math.hypot(dx, dy) < this.painter.radius * this.sight.zoom;
    const zoom = this.zoomed(Math.exp(-event.deltaY * (event.deltaMode === 1 ? .05 : .0018)));
    if (!inside || zoom === this.sight.zoom) return;
    event.preventDefault();
    this.glide.stop();
    const part = 1 - this.sight.zoom / zoom; // what is under the pointer stays there
    this.sight.zoom = zoom;
    this.drag(-dx * part, -dy * part);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 15 / this.sight.zoom;
    const { lon, lat } = this.glide.target;
    const to: Partial<Sight> | undefined = {
      ArrowLeft: { lon: lon - step }, ArrowRight: { lon: lon + step }, ArrowUp: { lat: lat + step }, ArrowDown: { lat: lat - step },
      "+": { zoom: this.zoomed(1.4) }, "=": { zoom: this.zoomed(1.4) }, "-": { zoom: this.zoomed(1 / 1.4) },
    }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      const spot = this.spot(this.ball.clientWidth / 2, this.ball.clientHeight / 2, 24);
      if (spot) this.told.open(spot);
    } else if (!to || (to.lat !== undefined && Math.abs(to.lat) > steepest)) return; // beyond the poles the page goes on
    else this.glide.to(to, () => this.tell());
    event.preventDefault();
  }

  /** Says what is in the middle, for those who do not see it. */
  private tell(): void {
    const spot = this.spot(this.ball.clientWidth / 2, this.ball.clientHeight / 2, 24);
    if (spot) this.told.middle(called(spot).said);
  }

  private hover(event: PointerEvent): void {
    const spot = this.at(event);
    this.light(spot);
    if (!spot) return;
    const [x, y] = this.within(event);
    this.label.style.transform = `translate(${limit(0, x + 14, Math.max(this.ball.clientWidth - this.label.offsetWidth - 4, 0))}px, ${Math.max(y - 38, 4)}px)`;
  }

  private light(spot: Spot | null): void {
    const said = spot ? called(spot).said : "";
    this.label.hidden = !spot;
    this.ball.classList.toggle("on", spot !== null);
    if (this.label.textContent === said) return;
    this.label.textContent = said;
    this.lit = spot;
    this.draw();
  }

  private within(event: MouseEvent): [number, number] {
    const { left, top } = this.ball.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  private at(event: PointerEvent): Spot | null {
    const [x, y] = this.within(event);
    return this.spot(x, y, event.pointerType === "mouse" ? touch / 2 : touch);
  }

  /** Returns what is at a place of the canvas: a city near it, or else the country. */
  private spot(x: number, y: number, near: number): Spot | null {
    let best: City | null = null;
    let shortest = Infinity;
    for (const dot of this.painter.dots) {
      const far = Math.hypot(dot.x - x, dot.y - y) - dot.r;
      if (far < near && far < shortest) [best, shortest] = [dot.city, far];
    }
    if (best) return { city: best };
    const there = this.painter.projection.invert?.([x, y]);
    const beyond = Math.hypot(x - this.ball.clientWidth / 2, y - this.ball.clientHeight / 2) > this.painter.radius * this.sight.zoom;
    if (!there || beyond || there.some(Number.isNaN)) return null;
    for (const land of this.world.countries.values()) {
      if (land.shape ? geoContains(land.shape, there) : geoDistance(land.middle, there) < .02 / Math.sqrt(this.sight.zoom)) return { country: land };
    }
    return null;
  }
}

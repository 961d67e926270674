/** What is seen of a station: bars that move with what is heard. */

import { h } from "../dom";
import type { Player } from "./player";

const bars = 48;
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

/** Some browsers hand out what an element plays without taking it from the speakers. */
type Captured = HTMLVideoElement & { captureStream?(): MediaStream };

/**
 * Makes the bars. They follow the sound where the browser may look at it, which
 * is when it came through the page itself; otherwise their style moves them
 * while something plays.
 */
export function visual(player: Player): HTMLElement {
  const box = h("div", { class: "bars", "aria-hidden": "true" }, ...Array.from({ length: bars }, (_, i) => bar(i)));
  let listener: Ear | null = null;
  player.on("state", () => {
    const heard = player.state === "playing" && player.stage.dataset["kind"] === "radio" && !quiet.matches && player.media.currentSrc.startsWith("blob:");
    if (heard) listener ??= listen(player.media);
    if (!heard || !listener) return;
    follow(player, box, listener);
  });
  return box;
}

/** Makes a bar: those in the midst are higher, and each has a height and a pace of its own. */
function bar(i: number): HTMLElement {
  const made = h("i");
  const own = (Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32; // from 0 to 1, the same each time
  made.style.height = `${Math.round(100 * (0.3 + 0.7 * Math.sin((Math.PI * (i + 0.5)) / bars)) * (0.45 + 0.55 * own))}%`;
  made.style.animationDuration = `${700 + Math.round(700 * own)}ms`;
  made.style.animationDelay = `${-Math.round(1400 * own)}ms`;
  return made;
}

/** Returns the place in the spectrum that a bar shows: low sounds in the midst, high ones at both ends. */
function placeOf(i: number): number {
  return 1 + Math.floor(Math.abs(i - (bars - 1) / 2));
}

interface Ear {
  context: AudioContext;
  analyser: AnalyserNode;
  source: MediaStreamAudioSourceNode | null;
  frame: number;
}

function listen(media: Captured): Ear | null {
  if (!media.captureStream || !("AudioContext" in window)) return null;
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 128, smoothingTimeConstant: 0.85 });
  return { context, analyser, source: null, frame: 0 };
}

/** Draws until the player plays no more. */
function follow(player: Player, box: HTMLElement, ear: Ear): void {
  try {
    ear.source?.disconnect();
    ear.source = new MediaStreamAudioSourceNode(ear.context, { mediaStream: (player.media as Captured).captureStream!() });
    ear.source.connect(ear.analyser);
  } catch {
    return; // There is no sound yet, or it may not be looked at.
  }
  void ear.context.resume();
  const levels = new Uint8Array(ear.analyser.frequencyBinCount);
  const draw = (): void => {
    const on = player.state === "playing" && player.stage.dataset["kind"] === "radio";
    ear.analyser.getByteFrequencyData(levels);
    const heard = on && levels.some((level) => level > 0);
    box.classList.toggle("heard", heard);
    [...box.children].forEach((bar, i) => {
      (bar as HTMLElement).style.transform = heard ? `scaleY(${0.12 + 1.2 * (levels[placeOf(i)] ?? 0) / 255})` : "";
    });
    if (on) ear.frame = requestAnimationFrame(draw);
    else void ear.context.suspend();
  };
  cancelAnimationFrame(ear.frame);
  draw();
}

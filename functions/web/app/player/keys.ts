/** The keys of the page of a channel, and the digits of a remote control. */

import { $, typing } from "../dom";
import { move, type Direction } from "../spatial";

/** What keys do. Each reports whether it did anything: a key that does nothing is left to the browser. */
export interface Actions {
  zap(by: 1 | -1): boolean;
  jump(number: number): void;
  digits(typed: string): void;
  back(): boolean;
  toggle(): boolean;
  pause(): boolean;
  fullscreen(): boolean;
  mute(): boolean;
  pip(): boolean;
  captions(): boolean;
  favorite(): boolean;
  /** Opens the list of channels. */
  channels(): boolean;
  /** Hears the other of two channels that are watched. */
  sound(): boolean;
  /** Takes the focus onto the controls. */
  enter(): boolean;
}

const arrows: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

/** Lists go down, and numbers go up: the next channel is below, and one up. */
const steps: Record<string, 1 | -1> = {
  ArrowDown: 1, ArrowUp: -1, PageDown: 1, PageUp: -1, ChannelUp: 1, ChannelDown: -1, MediaTrackNext: 1, MediaTrackPrevious: -1,
};

const doings: Record<string, Exclude<keyof Actions, "zap" | "jump" | "digits" | "enter">> = {
  " ": "toggle", k: "toggle", MediaPlayPause: "toggle", MediaPlay: "toggle", MediaPause: "pause", MediaStop: "pause",
  f: "fullscreen", m: "mute", p: "pip", c: "captions", b: "sound", l: "favorite", g: "channels", Guide: "channels", ContextMenu: "channels", Backspace: "back",
};

/** The keys that work while another page is shown, which has its own use for all others. */
const anywhere = /^([kmp]|Media.*|Channel.*)$/i;

const pause = 1200; // ms that one has for the next digit
const longest = 4; // digits

/** Listens to keys for a stage, wherever the focus is. */
export function keys(stage: HTMLElement, actions: Actions): void {
  let typed = "";
  let timer = 0;
  const commit = (): boolean => {
    clearTimeout(timer);
    const number = Number(typed);
    typed = "";
    actions.digits("");
    if (number > 0) actions.jump(number);
    return number > 0;
  };
  const digit = (key: string): boolean => {
    clearTimeout(timer);
    typed = (typed + key).slice(-longest);
    actions.digits(typed);
    timer = window.setTimeout(commit, pause);
    return true;
  };
  const press = (event: KeyboardEvent): boolean => {
    const { key } = event;
    if (stage.parentElement?.closest(".dock") && !anywhere.test(key)) return false;
    if (/^[0-9]$/.test(key)) return digit(key);
    if (key === "Enter") return typed !== "" && commit();
    if (key === "Escape") return leave(stage);
    if (steps[key] && (!arrows[key] && !key.startsWith("Page") || watching(stage))) return actions.zap(steps[key]);
    if (arrows[key]) return steer(arrows[key], actions);
    const doing = doings[key.length === 1 ? key.toLowerCase() : key];
    return doing !== undefined && !event.repeat && !(key === " " && pressable()) && actions[doing]();
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if ($("dialog[open]") || !(typing(event.target) ? out(event) : press(event))) return;
    event.preventDefault();
  });
}

/** Reports whether keys are about what is watched: the stage is seen, and the focus is on it or nowhere. */
function watching(stage: HTMLElement): boolean {
  const at = stage.getBoundingClientRect();
  return (nowhere() || stage.contains(document.activeElement)) && at.bottom > at.height / 2 && at.top < innerHeight - at.height / 2;
}

function nowhere(): boolean {
  const focused = document.activeElement;
  return !focused || focused === document.body || focused.id === "main";
}

/** Reports whether the space bar presses what is focused. */
function pressable(): boolean {
  return document.activeElement?.matches("a, button, summary, input, [role=button]") ?? false;
}

/** Arrows that do not zap move the focus; from nowhere, onto the stage. */
function steer(to: Direction, actions: Actions): boolean {
  const focused = document.activeElement;
  if (!nowhere()) return focused instanceof HTMLElement && !focused.matches("[type=range]") && move(focused, to);
  return (to === "left" || to === "right") && actions.enter();
}

/** Up and down lead out of a field, from its beginning and its end: a remote control has no other way. */
function out({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) || target.selectionStart !== target.selectionEnd) return false;
  const edge = key === "ArrowUp" ? 0 : key === "ArrowDown" ? target.value.length : -1;
  return target.selectionStart === edge && move(target, arrows[key]!);
}

/** Escape leaves the controls for the picture. */
function leave(stage: HTMLElement): boolean {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !stage.contains(focused)) return false;
  focused.blur();
  return true;
}

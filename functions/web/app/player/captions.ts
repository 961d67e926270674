/** How captions look, as somebody chose; kept in this browser. */

import { t } from "../texts";
import type { Section } from "./menu";

const key = "mm-captions";

/** What can be chosen, the usual first. The style of the stage draws each value, which stands in an attribute of its own. */
const styles = {
  size: ["normal", "small", "large", "huge"],
  colour: ["white", "yellow", "cyan"],
  ground: ["veil", "black", "none"],
} as const;

type Part = keyof typeof styles;

const parts = Object.keys(styles) as Part[];

/** Shows captions on a stage as they were chosen the last time. Returns the choices, for a menu. */
export function captionStyles(stage: HTMLElement): Section[] {
  const chosen = kept();
  const draw = (): void => { for (const part of parts) stage.dataset[`caption${part[0]!.toUpperCase()}${part.slice(1)}`] = chosen[part]; };
  draw();
  return parts.map((part) => ({
    title: t(`player.ui.caption_${part}`),
    choices: styles[part].map((id) => ({ id, label: t(`player.ui.caption_${id}`) })),
    get chosen() { return chosen[part]; },
    choose(id) {
      chosen[part] = String(id);
      draw();
      keep(chosen);
    },
  }));
}

/** Returns what was chosen; of what is none of the choices, the usual. */
function kept(): Record<Part, string> {
  let found: Partial<Record<Part, unknown>> | null = null;
  try {
    found = JSON.parse(localStorage.getItem(key) ?? "null") as typeof found;
  } catch {
    // What was kept is no choice.
  }
  const of = (part: Part): string => styles[part].find((value) => value === found?.[part]) ?? styles[part][0];
  return { size: of("size"), colour: of("colour"), ground: of("ground") };
}

function keep(chosen: Record<Part, string>): void {
  try {
    localStorage.setItem(key, JSON.stringify(chosen));
  } catch {
    // It stays for as long as the page.
  }
}

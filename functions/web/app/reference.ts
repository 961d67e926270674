/**
 * The viewer of the OpenAPI document, which takes the place of the list of
 * operations once it is drawn. Until then, and when any part of it cannot be
 * loaded, the list stays.
 */

import type { Component, System } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { $, $$, h } from "./dom";
import { t } from "./texts";

/** Loads the viewer and the document, and shows them. */
export async function reference(): Promise<void> {
  const place = $("#viewer");
  const list = $("#operation-list");
  const description = place?.dataset["description"];
  const styles = place?.dataset["styles"];
  if (!place || !list || !description || !styles) return;
  try {
    const [{ default: draw }, spec] = await Promise.all([
      import("swagger-ui-dist/swagger-ui-es-bundle.js"), fetchJSON(description), loadStyles(styles),
    ]);
    followTheme();
    nameFields(place);
    draw({
      spec, domNode: place, layout: "ReferenceLayout", plugins: [layout], docExpansion: "none", defaultModelsExpandDepth: -1,
      deepLinking: true, filter: true, validatorUrl: null,
      onComplete: () => {
        place.hidden = false;
        list.hidden = true;
      },
    });
  } catch {
    place.hidden = true;
    list.hidden = false;
  }
}

async function fetchJSON(address: string): Promise<object> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer.json();
}

/** Adds the styles of the viewer, and waits until they apply. */
function loadStyles(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    document.head.append(h("link", { rel: "stylesheet", href, load: () => resolve(), error: () => reject(new Error(`${href} was not loaded`)) }));
  });
}

/** The viewer has a dark theme of its own, which is on while the page is dark. */
function followTheme(): void {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => {
    const chosen = root.dataset["theme"];
    root.classList.toggle("dark-mode", chosen ? chosen === "dark" : dark.matches);
  };
  apply();
  dark.addEventListener("change", apply);
  new MutationObserver(apply).observe(root, { attributeFilter: ["data-theme"] });
}

/**
 * Gives fields of parameters, which the viewer draws without a label, the names of their
 * parameters, and lets the keyboard scroll long code.
 */
function nameFields(place: HTMLElement): void {
  const repair = (): void => {
    for (const field of $$("tr[data-param-name] :is(select, input, textarea):not([aria-label])", place)) {
      field.setAttribute("aria-label", field.closest<HTMLElement>("tr")?.dataset["paramName"] ?? "");
    }
    for (const choice of $$("select.examples-select-element:not([aria-label])", place)) choice.setAttribute("aria-label", t("reference.ui.examples"));
    for (const code of $$("pre:not([tabindex])", place)) code.tabIndex = 0;
  };
  new MutationObserver(repair).observe(place, { childList: true, subtree: true });
}

/**
 * The viewer without what the page says already: no title, no choice among servers
 * (there is one), and no list of schemas (operations show theirs).
 */
function layout({ React }: System): { components: Record<string, Component> } {
  const ReferenceLayout: Component = ({ getComponent }) => {
    const part = (name: string): unknown => React.createElement(getComponent(name, true), null);
    return React.createElement("div", { className: "swagger-ui" },
      React.createElement(getComponent("SvgAssets"), null),
      React.createElement("div", { className: "viewer-bar" }, part("AuthorizeBtnContainer"), part("FilterContainer")),
      part("errors"), part("operations"));
  };
  // Links within the button of an operation could not be reached; its button opens it.
  const DeepLink: Component = ({ text }) => React.createElement("span", null, text);
  return { components: { ReferenceLayout, DeepLink } };
}

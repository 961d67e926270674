// The widget of the local stack, with the interface of Turnstile's script.
(() => {
  const words = {
    pt: "Sou uma pessoa (teste local)",
    en: "I am a person (local test)",
    es: "Soy una persona (prueba local)",
    fr: "Je suis une personne (essai local)",
    de: "Ich bin ein Mensch (lokaler Test)",
  };
  const issue = new URL("token", document.currentScript.src);
  const explicit = new URL(document.currentScript.src).searchParams.get("render") === "explicit";
  const widgets = new Map();
  let next = 0;

  function render(container, options = {}) {
    const element = typeof container === "string" ? document.querySelector(container) : container;
    if (!element) return undefined;
    const id = `local-${next++}`;
    const label = document.createElement("label");
    const box = document.createElement("input");
    const field = document.createElement("input");
    box.type = "checkbox";
    field.type = "hidden";
    field.name = options["response-field-name"] ?? "cf-turnstile-response";
    const language = (options.language ?? document.documentElement.lang).slice(0, 2);
    label.append(box, " ", words[language] ?? words.en);
    element.replaceChildren(label, field);
    box.addEventListener("change", async () => {
      box.disabled = true;
      try {
        const answer = await fetch(issue, { method: "POST" });
        field.value = (await answer.json()).token;
        options.callback?.(field.value);
      } catch {
        reset(id);
        options["error-callback"]?.("600010");
      }
    });
    widgets.set(id, { element, box, field });
    return id;
  }

  function find(id) {
    return id === undefined ? widgets.values().next().value : widgets.get(id);
  }

  function reset(id) {
    const widget = find(id);
    if (!widget) return;
    widget.box.disabled = widget.box.checked = false;
    widget.field.value = "";
  }

  function remove(id) {
    find(id)?.element.replaceChildren();
    widgets.delete(id);
  }

  globalThis.turnstile = {
    render,
    reset,
    remove,
    getResponse: (id) => find(id)?.field.value ?? "",
    ready: (then) => then(),
  };

  const all = () => {
    for (const element of document.querySelectorAll(".cf-turnstile")) {
      const callback = globalThis[element.dataset.callback];
      render(element, { ...element.dataset, callback });
    }
  };
  if (explicit) return;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", all);
  else all();
})();

// Plays one stream of a plain HTTP origin. What to play comes from the main
// host; how, from the kind of the stream: each kind has ways that are tried in
// turn, and the failure that is told is the one of the first.
(() => {
  "use strict";

  const $ = (id) => document.getElementById(id);
  const page = document.body.dataset;
  const texts = JSON.parse($("texts").textContent);
  const stage = $("stage");

  const patience = 30_000; // ms from a start to the first picture or sound
  const hlsType = "application/vnd.apple.mpegurl";

  // A Failure ends a way. Its code is one that the product knows.
  class Failure extends Error {
    constructor(code) {
      super(code);
      this.code = code;
    }
  }

  function say(key, bad = false) {
    const line = $("status");
    line.textContent = texts[key] ?? texts["fail.outro"];
    line.dataset.tone = bad ? "bad" : "";
  }

  function fail(code) {
    stage.dataset.state = "failed";
    say("fail." + code, true);
    $("actions").hidden = false;
    $("retry").hidden = code === "sem_stream";
  }

  // web returns an address of the web, or nothing: what is shown as a link may
  // be nothing else.
  function web(address) {
    try {
      const url = new URL(address);
      return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
    } catch {
      return null;
    }
  }

  async function describe(id) {
    let answer;
    try {
      answer = await fetch(page.api + encodeURIComponent(id), { credentials: "omit", signal: AbortSignal.timeout(15_000) });
    } catch {
      throw new Failure("sem_resposta");
    }
    if (answer.status === 404 || answer.status === 400) throw new Failure("sem_stream");
    if (!answer.ok) throw new Failure("sem_resposta");
    const info = await answer.json().catch(() => null);
    if (!info || !web(info.url) || !web(info.provider_url)) throw new Failure("sem_stream");
    return info;
  }

  function show(info) {
    $("name").textContent = info.name;
    document.title = info.name + " · Miramundo";
    const kind = $("kind");
    kind.textContent = info.radio ? texts.radio : texts.tv;
    kind.hidden = false;
    $("open").href = web(info.provider_url);
    $("address").value = info.provider_url;
    $("place").hidden = false;
    const site = info.website && web(info.website);
    if (site) {
      $("website").href = site;
      $("website").hidden = false;
    }
    $("actions").hidden = false;
  }

  // element returns a fresh media element on the stage, whose state the status
  // line tells.
  function element(kind) {
    const media = document.createElement(kind === "audio" ? "audio" : "video");
    media.controls = true;
    media.playsInline = true;
    media.setAttribute("aria-label", $("name").textContent);
    stage.dataset.kind = media.localName;
    stage.replaceChildren(media);
    return media;
  }

  function narrate(media) {
    const tell = { playing: "playing", pause: "paused", waiting: "buffering", ended: "ended" };
    for (const [event, key] of Object.entries(tell)) {
      media.addEventListener(event, () => {
        if (stage.dataset.state !== "failed") say(key);
      });
    }
  }

  // started returns when media plays, or waits for the person to say so. It
  // fails when neither happens in time.
  function started(media, failed) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Failure("sem_resposta")), patience);
      const done = (settle, value) => {
        clearTimeout(late);
        settle(value);
      };
      media.addEventListener("playing", () => done(resolve), { once: true });
      const begin = () => {
        media.play().catch((error) => {
          if (error.name !== "NotAllowedError") return;
          say("ready");
          done(resolve);
        });
      };
      media.addEventListener("loadedmetadata", begin, { once: true });
      failed.catch((failure) => done(reject, failure));
    });
  }

  // mediaCode says what an error of a media element means.
  function mediaCode(media) {
    switch (media.error?.code) {
      case MediaError.MEDIA_ERR_DECODE:
        return "codec";
      case MediaError.MEDIA_ERR_NETWORK:
      case MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED: // as for an origin that does not answer
        return "sem_resposta";
    }
    return "outro";
  }

  function script(address) {
    return new Promise((resolve, reject) => {
      if (!address) return reject(new Failure("outro"));
      const tag = document.createElement("script");
      tag.src = address;
      tag.onload = resolve;
      tag.onerror = () => reject(new Failure("sem_resposta"));
      document.head.append(tag);
    });
  }

  // A way plays an address on a media element. It returns how to give up, and a
  // promise that is rejected when it fails.
  function natively(address, type) {
    return async (media) => {
      if (type && !media.canPlayType(type)) throw new Failure("codec");
      const failed = new Promise((_, reject) => {
        media.addEventListener("error", () => reject(new Failure(mediaCode(media))), { once: true });
      });
      media.src = address;
      return {
        failed,
        stop: () => {
          media.removeAttribute("src");
          media.load();
        },
      };
    };
  }

  // hlsCode says what a fatal error of hls.js means. The hop's own answers come
  // with a code of their own.
  function hlsCode(data) {
    const { ErrorTypes, ErrorDetails } = window.Hls;
    if (data.type === ErrorTypes.MEDIA_ERROR || data.details === ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR) return "codec";
    if (data.type !== ErrorTypes.NETWORK_ERROR) return "outro";
    if (data.details === ErrorDetails.MANIFEST_PARSING_ERROR) return "playlist";
    const status = data.response?.code ?? 0;
    const list = data.details.startsWith("manifest") || data.details.startsWith("level") || data.details.includes("TrackLoad");
    switch (status) {
      case 0:
        return list || data.details.endsWith("TimeOut") ? "sem_resposta" : "cors";
      case 402:
        return "limite";
      case 403:
      case 451:
        return "geo";
      case 404:
      case 410:
        return "sumiu";
      case 422:
      case 502:
        return String(data.response?.text ?? "").includes("playlist_acesso") ? "geo" : "playlist";
    }
    return "sem_resposta";
  }

  function withHls(address) {
    return async (media) => {
      await script(page.hls);
      if (!window.Hls.isSupported()) throw new Failure("codec");
      const hls = new window.Hls({ workerPath: page.worker || null, backBufferLength: 30 });
      let recovered = false;
      const failed = new Promise((_, reject) => {
        hls.on(window.Hls.Events.ERROR, (_event, data) => {
          if (!data.fatal) return;
          if (data.type === window.Hls.ErrorTypes.MEDIA_ERROR && !recovered) {
            recovered = true;
            hls.recoverMediaError();
            return;
          }
          reject(new Failure(hlsCode(data)));
        });
      });
      hls.attachMedia(media);
      hls.loadSource(address);
      return { failed, stop: () => hls.destroy() };
    };
  }

  // mpegtsCode says what an error of mpegts.js means.
  function mpegtsCode(type, detail, info) {
    const { ErrorTypes, ErrorDetails } = window.mpegts;
    if (type === ErrorTypes.MEDIA_ERROR) return detail === ErrorDetails.MEDIA_FORMAT_UNSUPPORTED ? "protocolo" : "codec";
    if (type !== ErrorTypes.NETWORK_ERROR) return "outro";
    switch (info?.code) {
      case 401:
      case 403:
      case 451:
        return "geo";
      case 404:
      case 410:
        return "sumiu";
    }
    return detail === ErrorDetails.NETWORK_EXCEPTION ? "cors" : "sem_resposta";
  }

  function withMpegts(kind, address) {
    return async (media) => {
      await script(page.mpegts);
      if (!window.mpegts.getFeatureList().mseLivePlayback) throw new Failure("codec");
      window.mpegts.LoggingControl.enableAll = false;
      const player = window.mpegts.createPlayer(
        { type: kind === "flv" ? "flv" : "mpegts", url: address, isLive: true, cors: true, withCredentials: false },
        { enableWorker: false, liveBufferLatencyChasing: true, referrerPolicy: "no-referrer" },
      );
      const failed = new Promise((_, reject) => {
        player.on(window.mpegts.Events.ERROR, (type, detail, info) => reject(new Failure(mpegtsCode(type, detail, info))));
      });
      player.attachMediaElement(media);
      player.load();
      return { failed, stop: () => player.destroy() };
    };
  }

  function waysOf(info) {
    switch (info.kind) {
      case "hls":
        return [withHls(info.url), natively(info.url, hlsType), natively(info.provider_url, hlsType)];
      case "ts":
      case "flv":
        return [withMpegts(info.kind, info.provider_url)];
      case "audio":
        return [natively(info.provider_url)];
    }
    return [];
  }

  // attempt plays info by one way. It returns when it plays, and tells of a
  // failure that comes later.
  async function attempt(info, way) {
    const media = element(info.kind);
    say("connecting");
    stage.dataset.state = "connecting";
    const run = await way(media);
    run.failed.catch(() => {}); // told below, or already
    try {
      await started(media, run.failed);
    } catch (failure) {
      run.stop();
      throw failure;
    }
    stage.dataset.state = "playing";
    if (!media.paused) say("playing");
    narrate(media);
    run.failed.catch((failure) => {
      run.stop();
      fail(failure.code);
    });
  }

  async function play(info) {
    const ways = waysOf(info);
    if (ways.length === 0) {
      stage.hidden = true;
      say("external");
      return;
    }
    let first = null;
    for (const way of ways) {
      try {
        return await attempt(info, way);
      } catch (failure) {
        first ??= failure;
      }
    }
    throw first;
  }

  let described = null;

  async function run() {
    try {
      if (!page.stream) throw new Failure("sem_stream");
      $("retry").hidden = true;
      stage.dataset.state = "loading";
      say("loading");
      if (!described) {
        described = await describe(page.stream);
        show(described);
      }
      await play(described);
    } catch (failure) {
      if (!described) $("open").hidden = true;
      else $("open").hidden = false;
      fail(failure.code ?? "outro");
    }
  }

  $("retry").addEventListener("click", run);
  $("address").addEventListener("focus", (event) => event.target.select());
  run();
})();

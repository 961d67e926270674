// Plays one stream after another with hls.js, as the server of this page says,
// and tells it what was seen.

const patience = 30_000;

const names = ['X-Service-Upstream-Status', 'X-Service-Source', 'X-Service-Website', 'X-Service-Legacy', 'X-Service-Media-HTTP'];

// until resolves when test returns something true, and rejects when that takes
// too long or fails throws.
function until(test, fails, what) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      const failure = fails();
      const late = performance.now() - start > patience;
      if (failure || late) {
        clearInterval(timer);
        reject(new Error(failure || `${what}: not within ${patience} ms`));
      } else if (test()) {
        clearInterval(timer);
        resolve();
      }
    }, 50);
  });
}

// seen starts to count what hls.js does.
function seen(hls, stats) {
  hls.on(Hls.Events.ERROR, (_, data) => {
    // What the browser's decoder stumbles over is no matter of the playlists.
    if (data.type !== Hls.ErrorTypes.MEDIA_ERROR) stats.errors.push(data.details + (data.response?.code ? ` ${data.response.code}` : ''));
    if (data.fatal) stats.fatal = `${data.type}: ${data.details}: ${data.error?.message ?? ''} ${data.response?.code ?? ''}`;
  });
  hls.on(Hls.Events.FRAG_LOADED, (_, data) => {
    if (data.part) stats.parts++;
    else stats.segments++;
  });
  hls.on(Hls.Events.LEVEL_UPDATED, (_, data) => {
    stats.reloads++;
    if (data.details.skippedSegments > 0) stats.deltas++;
    if (data.details.deltaUpdateFailed) stats.fatal = 'a delta update did not fit';
  });
}

async function play(stream) {
  const stats = { parts: 0, segments: 0, reloads: 0, deltas: 0, errors: [], fatal: '', exposed: 0 };
  const video = document.createElement('video');
  video.muted = true;
  document.body.append(video);
  const hls = new Hls({ lowLatencyMode: stream.lowLatency });
  seen(hls, stats);
  const advance = async (by) => {
    let from;
    await until(() => {
      if (video.currentTime > 0) from ??= video.currentTime;
      return video.currentTime - from > by;
    }, () => stats.fatal, `${by} s of playing`);
  };
  try {
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      if (stream.lowLatency) hls.loadLevel = 0; // and no other, until it is told to
      video.play().catch((err) => { stats.fatal = String(err); });
    });
    hls.loadSource(stream.url);
    hls.attachMedia(video);
    await advance(stream.seconds);
    stats.levels = hls.levels.length;
    if (stream.lowLatency && hls.levels.length > 1) {
      stats.switchedAt = Date.now();
      hls.loadLevel = 1;
      await advance(stream.seconds);
    }
    stats.latency = hls.latency;
    const answer = await fetch(stream.url);
    stats.exposed = names.filter((name) => answer.headers.get(name) !== null).length;
  } catch (err) {
    stats.fatal ||= String(err);
  } finally {
    hls.destroy();
    video.remove();
  }
  return stats;
}

for (;;) {
  const next = await fetch('next', { cache: 'no-store' });
  if (next.status !== 200) continue; // nothing to play yet
  const stats = await play(await next.json());
  await fetch('done', { method: 'POST', body: JSON.stringify(stats) });
}

// Reads playlists, each as it came and as the hop passes it on, one JSON object
// a line, and says for each parser whether it sees the same in both but for
// where references lead: one JSON object a line and parser.

import { createInterface } from 'node:readline';
import HLS from 'hls-parser';
import { Parser } from 'm3u8-parser';

globalThis.self = globalThis;
const { M3U8Parser } = await import('hls.js/dist/hls.mjs');

// What a parser has resolved on its own begins with this.
const resolved = 'resolved:';

// A side is one of the two texts with what its references mean. All that reads
// a reference goes through its method lead, which returns where it leads to.
class Side {
  constructor(task, text, rewritten) {
    this.task = task;
    this.text = text;
    this.rewritten = rewritten;
    this.relative = [];
  }

  lead(ref) {
    const raw = String(ref);
    if (raw.startsWith(resolved)) return raw;
    if (!this.rewritten) return href(raw, this.task.base);
    const ticket = ticketIn(href(raw, this.task.hop), this.task.hop);
    if (ticket !== null) {
      if (!raw.startsWith(this.task.hop) && !raw.startsWith('?p=')) this.relative.push(raw);
      return href(ticket);
    }
    if (!URL.canParse(raw) && href(raw, this.task.base) !== 'invalid') this.relative.push(raw);
    return href(raw);
  }
}

function href(ref, base) {
  return URL.canParse(ref, base) ? new URL(ref, base).href : 'invalid';
}

function ticketIn(url, hop) {
  if (!url.startsWith(hop + '?p=')) return null;
  return Buffer.from(url.slice(hop.length + 3), 'base64url').toString('utf8');
}

const references = new Set(['uri', 'URI', 'url', 'relurl', 'X-ASSET-URI', 'X-ASSET-LIST', 'X-URI', 'xAssetUri', 'xAssetList', 'xUri']);

// Members that say the text itself, what is derived from addresses, or what the
// hop takes out.
const ignored = new Set([
  'm3u8', 'source', 'hash', 'resolvedUri', 'timeline', 'base', '_url', 'baseurl', '_decryptdata', 'logger',
  'variableList', 'hasVariableRefs', 'definitions', 'variables', 'defines',
  'contentSteering', 'contentSteer', 'custom', 'loader', 'stats', 'elementaryStreams', 'tagAnchor', '_tagAnchor', 'encryptedFragments', 'fragment',
]);

// model returns a parser's value as plain data in which every reference is
// where it leads to.
function model(side, value, name = '', path = []) {
  if (typeof value === 'string' && references.has(name) && leads(path, name) && value.trim() !== '') return side.lead(value);
  if (value instanceof URL) return side.lead(value.href);
  if (value instanceof Error) return 'error';
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return String(value.getTime());
  if (name === 'tagList') return value.filter(lasting).map((t) => tagLine(side, t));
  if (typeof value !== 'object' || value === null) return value;
  if (path.includes(value)) return '(above)';
  if (Array.isArray(value)) return Array.from(value, (v) => model(side, v, name, [...path, value]));
  const out = {};
  for (const key of Object.keys(value).sort()) {
    if (!ignored.has(key) && typeof value[key] !== 'function') out[key] = model(side, value[key], key, [...path, value]);
  }
  return out;
}

// leads tells references from values that only share their names: an extension
// attribute of a date range is its class's business. The class stands beside
// the attribute or around it.
function leads(path, name) {
  if (!/^x/i.test(name)) return true;
  const [above, owner] = path.slice(-2).length > 1 ? path.slice(-2) : [{}, path[0]];
  const named = owner.CLASS ?? owner.class ?? above.classId;
  return named === (/^x-?uri$/i.test(name) ? 'com.apple.hls.preload' : 'com.apple.hls.interstitial');
}

// lasting are tags whose text players keep for others and that say nothing that
// they have not read apart, or that the hop takes out.
function lasting([tag]) {
  return !['EXT-X-DATERANGE', 'EXT-X-DEFINE', 'EXT-X-CONTENT-STEERING'].includes(tag);
}

function tagLine(side, [tag, value, ...more]) {
  if (tag === 'EXT-X-PREFETCH') return [tag, side.lead(value)];
  if (/URI=/.test(value ?? '')) return [tag, value.replace(/URI="([^"]*)"/g, (_, ref) => `URI="${side.lead(ref)}"`)];
  return [tag, value, ...more];
}

// Parsers, each from a side to what it reads, or throwing.
const parsers = {
  'hls.js': (side) => {
    M3U8Parser.resolve = (ref) => resolved + side.lead(ref);
    const { base, hop, vars } = side.task;
    const at = side.rewritten ? hop : base;
    if (M3U8Parser.isMediaPlaylist(side.text)) {
      const level = M3U8Parser.parseLevelPlaylist(side.text, at, 0, 'main', 0, side.rewritten ? null : vars);
      if (level.playlistParsingError) throw level.playlistParsingError;
      return model(side, { ...level, url: '' });
    }
    const main = M3U8Parser.parseMasterPlaylist(side.text, at);
    const media = M3U8Parser.parseMasterPlaylistMedia(side.text, at, main);
    if (main.playlistParsingError) throw main.playlistParsingError;
    return model(side, { main, media });
  },
  'm3u8-parser': (side) => {
    const { base, hop, vars } = side.task;
    const parser = new Parser(side.rewritten ? { uri: hop } : { uri: base, mainDefinitions: vars });
    let failure = null;
    parser.on('error', (e) => (failure ??= e));
    parser.push(side.text);
    parser.end();
    if (failure) throw new Error(failure.message);
    if (!side.text.startsWith('#EXTM3U')) throw new Error('no #EXTM3U');
    return model(side, parser.manifest);
  },
  'hls-parser': (side) => {
    const playlist = HLS.parse(side.text);
    return model(side, playlist);
  },
};

const outcome = (parse, side) => {
  try {
    return { value: parse(side) };
  } catch (error) {
    return { error: error?.message ?? String(error) };
  }
};

// difference says where two models part, for a person to read.
function difference(a, b, path = '') {
  if (JSON.stringify(a) === JSON.stringify(b)) return '';
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return `${path}: ${JSON.stringify(a)} -> ${JSON.stringify(b)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], `${path}.${key}`);
    if (found) return found;
  }
  return path;
}

function verdict(parse, task) {
  const original = new Side(task, decode(task.original), false);
  const before = outcome(parse, original);
  if (task.refused) return { verdict: before.error ? 'refused by both' : 'refused', detail: task.refused };
  const rewritten = new Side(task, decode(task.rewritten), true);
  const after = outcome(parse, rewritten);
  if (after.error) return before.error ? { verdict: 'refused by parser', detail: after.error } : { verdict: 'broken', detail: after.error };
  if (before.error) return { verdict: 'fixed', detail: before.error };
  if (rewritten.relative.length) return { verdict: 'relative', detail: rewritten.relative[0] };
  const detail = difference(before.value, after.value);
  return detail ? { verdict: 'differs', detail } : { verdict: 'same' };
}

// decode reads bytes as browsers do.
function decode(base64) {
  return new TextDecoder().decode(Buffer.from(base64, 'base64'));
}

console.warn = console.error = () => {};
for await (const line of createInterface({ input: process.stdin })) {
  const task = JSON.parse(line);
  for (const [parser, parse] of Object.entries(parsers)) {
    process.stdout.write(JSON.stringify({ name: task.name, parser, ...verdict(parse, task) }) + '\n');
  }
}

import { checkContent } from './check-content.mjs';
import { checkPrefix, prefixOf } from './check-prefix.mjs';
import { checkShape } from './check-shape.mjs';
import { checkTokens } from './check-tokens.mjs';
import { isSendable } from './expected-blocks.mjs';
import { entryFollower } from './follow-entries.mjs';
import { listBodies } from './read-bodies.mjs';
import { readSource } from './read-source.mjs';

/**
 * One thing that is wrong.
 *
 * @typedef {{ kind: string, request: number, what: string }} Violation
 *
 * `dropped` are the messages that some request left out with a verdict and without a summary; `rewrites` the requests
 * that name an action; `largest` the tokens of the largest body.
 *
 * @typedef {{ format: string, items: number, requests: number, dropped: number, rewrites: number, summarised: number,
 *   largest: number, violations: Violation[] }} Judgement
 */

/**
 * Judges what `replay --bodies` wrote against the transcript it was made from. Shares no code with the product.
 *
 * @param {{ source: string, bodies: string, budget: number, systemTokens?: number, rows?: object[] }} options
 *   `budget` may be Infinity; `rows` are the `requests` that `replay --json` printed, held against the manifests.
 * @returns {Judgement}
 */
export function judge({ source, bodies, budget, systemTokens = 0, rows }) {
  const { format, items } = readSource(source);
  const calls = items.reduce((sum, item) => sum + item.calls.length, 0);
  if (calls === 0) throw new Error(`${source}: no call of a model, so there is nothing to judge`);
  const files = listBodies(bodies);
  const violations = checkNumber(files, calls);
  const counts = { dropped: 0, rewrites: 0, summarised: 0, largest: 0 };
  const made = rows?.filter(({ request }) => request !== null);
  if (made !== undefined && made.length !== files.length) {
    violations.push(violation(0, 'requests', `${files.length} bodies, but ${made.length} requests are reported`));
  }
  const claims = made?.map(({ tokens }) => tokens - systemTokens) ?? [];
  const byItem = groupByItem(files, items.length);
  for (const [index, item] of items.entries()) {
    const judged = judgeItem(item, { files: byItem.get(index + 1) ?? [], limit: budget - systemTokens, claims });
    if (items.length > 1) violations.push(...checkItemNumber(byItem.get(index + 1) ?? [], { item, number: index + 1 }));
    violations.push(...judged.violations);
    for (const name of ['dropped', 'rewrites', 'summarised']) counts[name] += judged[name];
    counts.largest = Math.max(counts.largest, judged.largest);
  }
  violations.push(
    ...(byItem.get(0) ?? []).map(({ number }) => violation(number, 'requests', 'of no item of the source')),
  );
  return { format, items: items.length, requests: files.length, ...counts, violations };
}

function violation(request, kind, what) {
  return { kind, request, what };
}

function checkNumber(files, calls) {
  const found = [];
  if (files.length !== calls)
    found.push(violation(0, 'requests', `${files.length} bodies for ${calls} calls of a model`));
  const wrong = files.find(({ number }, index) => number !== index + 1);
  if (wrong !== undefined) found.push(violation(wrong.number, 'requests', `${wrong.name} is not the next number`));
  return found;
}

function checkItemNumber(files, { item, number }) {
  if (files.length === item.calls.length) return [];
  const what = `item ${number} has ${files.length} bodies for ${item.calls.length} calls of a model`;
  return [violation(files[0]?.number ?? 0, 'requests', what)];
}

/** Files by the number of their conversation; under 0 those of none. */
function groupByItem(files, items) {
  const groups = new Map();
  for (const file of files) {
    const item = items === 1 ? 1 : (file.read().item ?? 1);
    const key = item >= 1 && item <= items ? item : 0;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(file);
  }
  return groups;
}

function judgeItem({ messages, calls }, { files, limit, claims }) {
  const follower = entryFollower(messages);
  const dropped = new Set();
  const violations = [];
  const counts = { rewrites: 0, summarised: 0, largest: 0 };
  let previous = null;
  const isComplete = files.length === calls.length;
  for (const [index, file] of files.slice(0, calls.length).entries()) {
    const request = { ...file.read(), claimed: claims[file.number - 1] };
    const before = (isComplete ? null : callByKey(request, { messages, calls })) ?? calls[index];
    const found = judgeRequest(request, { messages, before, follower, previous, limit });
    violations.push(...found.problems.map(({ kind, what }) => violation(file.number, kind, what)));
    for (const one of found.shown) {
      if (one.entry.kind === 'dropped' && messages[one.index].blocks.some(isSendable)) dropped.add(one.index);
    }
    counts.largest = Math.max(counts.largest, found.tokens);
    counts.rewrites += found.actions > 0 ? 1 : 0;
    counts.summarised += found.covered > 0 ? 1 : 0;
    previous = found.prefix;
  }
  return { violations, dropped: dropped.size, ...counts };
}

/**
 * Where bodies are missing, the key of the newest entry says which call a body was made for, so that one fault is not
 * told as many.
 */
function callByKey({ manifest }, { messages, calls }) {
  const newest = [...(manifest?.entries ?? [])].sort((a, b) => a.seq - b.seq).at(-1);
  const before = messages.findIndex(({ where }) => where === newest?.key) + 1;
  return calls.includes(before) ? before : null;
}

/**
 * Judges one request. What cannot be said of a body with a worse fault is not said: of one that no provider would
 * take, nothing about its messages; of one that misses messages, nothing about its prefix.
 */
function judgeRequest(request, { messages, before, follower, previous, limit }) {
  const { body, manifest } = request;
  const followed = follower.follow(manifest, before);
  const nothing = { shown: followed.shown, covered: followed.covered.length, actions: 0, tokens: 0, prefix: null };
  const shape = checkShape(body);
  if (shape.length > 0) return { ...nothing, problems: shape };
  if (!Array.isArray(manifest?.entries)) return { ...nothing, problems: followed.problems };
  const actions = manifest.actions ?? [];
  const { tokens, problems } = checkTokens(request, { limit });
  const content =
    followed.problems.length > 0 ? followed.problems : checkContent({ body, manifest, messages, before, followed });
  const prefix = prefixOf(body);
  const moved = content.length > 0 || previous === null ? [] : checkPrefix(previous, { prefix, actions });
  return {
    ...nothing,
    actions: actions.length,
    tokens,
    problems: [...problems, ...content, ...moved],
    prefix: content.length > 0 ? null : prefix,
  };
}

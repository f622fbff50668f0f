import { isDeepStrictEqual } from 'node:util';
import { checkBody } from './check-body.ts';
import { checkImpossible } from './check-impossible.ts';
import { checkCompaction, checkIngests, checkMove, RunningVerdicts } from './check-journal.ts';
import { checkPrompt, type Report } from './check-prompt.ts';
import { checkForgery, checkProse } from './check-prose.ts';
import type { Observation, SameWhat, SeenEvent, SeenPrompt, Violation } from './observation.ts';
import { ownJournal } from './own-fold.ts';

type EventOf<Kind extends SeenEvent['kind']> = Extract<SeenEvent, { readonly kind: Kind }>;

const ruleOf: Readonly<Record<SameWhat, Violation['rule']>> = {
  'dry-run': 'determinism',
  'dry-run-length': 'determinism',
  'other-host': 'determinism',
  restart: 'restart',
  undo: 'undo',
  fold: 'fold',
};

/** Holds what a transcript left behind against all rules. Returns what was broken, in the order of the operations. */
export function judge(observation: Observation): readonly Violation[] {
  const violations: Violation[] = [];
  const report =
    (op: number): Report =>
    (rule, what) =>
      violations.push({ rule, op, what });
  const journal = ownJournal(observation.entries);
  const { events, entries, layerTexts } = observation;
  const of = <Kind extends SeenEvent['kind']>(kind: Kind): readonly EventOf<Kind>[] =>
    events.filter((event): event is EventOf<Kind> => event.kind === kind);

  const requests = entries.filter((entry) => entry.type === 'request');
  const verdicts = new RunningVerdicts();
  let previous: SeenPrompt | null = null;
  for (const event of of('prompt')) {
    const { prompt, isFirst, op } = event;
    const request = requests[prompt.manifest.request - 1];
    if (request === undefined) {
      report(op)('lost', `request ${prompt.manifest.request} is not in the journal`);
      continue;
    }
    checkPrompt(prompt, { journal, request, layerTexts, report: report(op) });
    checkForgery(prompt, report(op));
    checkBudget(event, report(op));
    checkPrefix(prompt, { previous: isFirst ? null : previous, report: report(op) });
    verdicts.check(request, { prompt, journal, report: report(op) });
    previous = prompt;
  }
  for (const event of of('impossible')) checkImpossible(event, { journal, report: report(event.op) });
  for (const event of of('body')) checkBody(event, report(event.op));
  for (const event of of('move')) checkMove(event, { journal, report: report(event.op) });
  for (const { op, what, a, b } of of('same')) {
    if (!isDeepStrictEqual(a, b)) report(op)(ruleOf[what], `${what}: ${difference(a, b)}`);
  }
  for (const { op, what } of of('wrong')) report(op)('wrong', what);
  checkIngests(journal, { ingests: of('ingest'), report });
  const lastOp = events.at(-1)?.op ?? 0;
  for (const entry of entries) {
    if (entry.type === 'compaction') checkCompaction(entry, { journal, report: report(lastOp) });
  }
  checkProse(journal, { replies: of('reply'), report: report(lastOp) });
  return violations.sort((a, b) => a.op - b.op);
}

/** A prompt is within its budget, with what the host sends besides. */
function checkBudget({ prompt, input, reserved }: EventOf<'prompt'>, report: Report): void {
  if (prompt.tokens + reserved <= input) return;
  report('budget', `${prompt.tokens} tokens and ${reserved} besides, of ${input}`);
}

/** The bytes up to the first volatile part stay, unless the manifest names what was done; where they differ is said. */
function checkPrefix(
  prompt: SeenPrompt,
  { previous, report }: { readonly previous: SeenPrompt | null; readonly report: Report },
): void {
  const { actions, firstChangedByte } = prompt.manifest;
  const differs = previous === null ? null : firstDifference(stableParts(prompt), stableParts(previous));
  if (differs !== firstChangedByte)
    report('prefix', `byte ${differs} is the first that differs, not ${firstChangedByte}`);
  if (differs !== null && actions.length === 0) report('prefix', `byte ${differs} has changed, and no action says why`);
}

function stableParts({ system, messages, marks }: SeenPrompt): readonly object[] {
  return [...system, ...messages.slice(0, marks.afterStable)];
}

const bytesOf = new WeakMap<object, Buffer>();

function bytes(part: object): Buffer {
  const known = bytesOf.get(part) ?? Buffer.from(JSON.stringify(part));
  bytesOf.set(part, known);
  return known;
}

/** First byte of `before` that `now` does not have; `null` when `before` is a prefix of `now`. */
function firstDifference(now: readonly object[], before: readonly object[]): number | null {
  let start = 0;
  for (const [index, part] of before.entries()) {
    const other = now[index];
    if (other === undefined) return start;
    const [a, b] = [bytes(part), bytes(other)];
    if (part !== other && !a.equals(b)) {
      const at = a.findIndex((byte, offset) => byte !== b[offset]);
      return start + (at === -1 ? a.length : at);
    }
    start += a.length;
  }
  return null;
}

/** The first place where two values differ, for people. */
function difference(a: unknown, b: unknown): string {
  const [one, other] = [JSON.stringify(a) ?? 'nothing', JSON.stringify(b) ?? 'nothing'];
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  const around = (text: string): string => text.slice(Math.max(0, index - 60), index + 60);
  return `…${around(one)}… and …${around(other)}…`;
}

import { z } from 'zod';
import type { Draft, Item } from '../draft/draft.ts';
import { parkText } from '../draft/park.ts';
import { turnAcross } from '../draft/user-words.ts';
import { VarveError } from '../errors.ts';
import { firstIssue } from '../first-issue.ts';
import { type CompactionRange, type Edit, type Entry, type MessageEntry, refOf } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import { partsOfMessage } from '../message.ts';
import { requireJson } from '../storable-json.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq } from '../units.ts';
import type { CompactRequest, Plan, Refusal } from './compaction.ts';

/** What a plan is held against: the session as it is. */
export interface PlanFacts {
  readonly sessionId: string;
  readonly folded: Folded;
  /** The first draft of `folded`: its groups are what a cut may not part. */
  readonly draft: Draft;
  readonly counter: TokenCounter;
  /** True for core's last resort, which may shorten results that the model has not read. */
  readonly parkUnread: boolean;
  /** The entries behind `seq`. */
  entriesAfter(seq: Seq): AsyncIterable<Entry>;
}

const count = z.number().nonnegative();
const seq = z.int().nonnegative();
const ref = z.object({ id: z.string(), seq });
const edit = z.object({
  entryId: z.string(),
  seq,
  part: z.int().nonnegative().optional(),
  rule: z.string(),
  text: z.string(),
  verdict: z.enum(['edited', 'cleared', 'parked']).optional(),
});
const planSchema = z.object({
  base: z.object({ sessionId: z.string(), seq }),
  trigger: z.enum(['threshold', 'overflow', 'manual', 'background']),
  instructions: z.string().nullable(),
  range: z.object({ from: ref, to: ref, firstKept: ref.nullable(), held: ref.nullable().default(null) }),
  actions: z.array(
    z.discriminatedUnion('op', [
      z.object({ op: z.literal('summarise'), groups: z.array(z.string()), rule: z.string(), tokens: z.number() }),
      z.object({ op: z.literal('edit'), edits: z.array(edit), rule: z.string(), tokens: z.number() }),
    ]),
  ),
  expect: z.object({ tokensBefore: z.number(), tokensAfter: z.number() }),
  shares: z.object({ userLogTokens: count, ledgerTokens: count, proseTokens: count }),
  by: z.object({ plugin: z.string().min(1), version: z.string(), model: z.string().optional() }),
});
const refusalSchema = z.object({ refused: z.enum(['nothing-to-do', 'irreducible']), why: z.string() });

const factsOfRequest = new WeakMap<CompactRequest, PlanFacts>();

/** Freezes a request and remembers what answers to it are held against; plugins and engines see nothing of that. */
export function rememberFacts(request: CompactRequest, facts: PlanFacts): CompactRequest {
  factsOfRequest.set(request, facts);
  return Object.freeze(request);
}

/**
 * Checks what a plugin or an engine answered to a request: its shape, and that it could be carried out now. Resolves to
 * a copy as core would carry it out; trigger and instructions are the request's.
 *
 * @throws VARVE_PLUGIN_FAILED  for another shape; VARVE_PLAN_INVALID  for a plan that does not hold.
 */
export async function checkAnswer(answer: unknown, request: CompactRequest): Promise<Plan | Refusal> {
  const isObject = typeof answer === 'object' && answer !== null;
  const parsed = (isObject && 'refused' in answer ? refusalSchema : planSchema).safeParse(answer);
  if (!parsed.success) {
    throw new VarveError(
      'VARVE_PLUGIN_FAILED',
      `The answer is neither a plan nor a refusal: ${issueOf(parsed.error)}.`,
      {
        fix: 'Return what request.defaultPlan() returned, a plan made from it, { refused, why }, or nothing.',
      },
    );
  }
  if ('refused' in parsed.data) return parsed.data;
  const facts = factsOfRequest.get(request);
  if (facts === undefined) throw invalid('it answers no request of this session');
  const { trigger, instructions } = request;
  const plan = checkPlan({ ...parsed.data, trigger, instructions }, facts);
  await checkBase(plan, facts);
  return plan;
}

/**
 * Holds a plan against the session as it is now, whoever made it: its shape; a range that begins where the visible
 * messages begin, ends before the first kept one, parts no group and covers nothing unread; edits of kept texts that
 * the model has read and that are not the running turn's own words. Returns a copy as core carries it out: `held` is
 * always what core would hold, see decision 2, and that message can only be shortened as core shortens it.
 *
 * @throws VARVE_PLAN_INVALID  when something of it does not, or no longer, hold.
 */
export function checkPlan(value: unknown, facts: PlanFacts): Plan {
  const plan = requirePlan(value);
  if (plan.base.sessionId !== facts.sessionId) throw invalid('it was made for another session');
  if (plan.base.seq > facts.folded.lastSeq) throw invalid('it was made for entries that this journal does not have');
  const range = checkRange(plan.range, facts);
  const actions = plan.actions.map((action) =>
    action.op === 'edit' ? { ...action, edits: checkEdits(action.edits, { plan, range, facts }) } : action,
  );
  return { ...plan, range, actions };
}

/** The frozen copy of a plan, whatever the value does when it is read. @throws VARVE_PLAN_INVALID  for another shape. */
export function requirePlan(value: unknown): Plan {
  const json = requireJson(value, { code: 'VARVE_PLAN_INVALID', what: 'The plan' });
  const parsed = planSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw invalid(`it has not the shape of a plan: ${issueOf(parsed.error)}`);
}

/** Refuses a plan that was made before the head moved. @throws VARVE_PLAN_INVALID */
export async function checkBase({ base }: Plan, facts: PlanFacts): Promise<void> {
  if (base.seq >= facts.folded.lastSeq) return;
  for await (const entry of facts.entriesAfter(base.seq)) {
    if (entry.type === 'head') throw invalid('the head has moved since it was made');
  }
}

function checkRange({ from, to, firstKept }: CompactionRange, facts: PlanFacts): CompactionRange {
  const { messages } = facts.folded;
  const toIndex = messages.findIndex((entry) => entry.id === to.id);
  const [first, last, next] = [messages[0], messages[toIndex], messages[toIndex + 1]];
  if (first === undefined || last === undefined || first.id !== from.id) {
    throw invalid('its range is not where the visible messages begin');
  }
  const groups = facts.draft.groups();
  const isCovered = (item: Item): boolean => item.seq !== null && item.seq <= last.seq;
  const isKept = (item: Item): boolean => item.seq !== null && item.seq > last.seq;
  if (next === undefined || !groups.some((group) => group.items.some(isKept))) {
    throw invalid('it would leave no message');
  }
  if (next.id !== firstKept?.id) throw invalid('its first kept entry does not follow the range');
  if (groups.some((group) => group.items.some(isCovered) && group.items.some(isKept))) {
    throw invalid('it would part a tool call from its result');
  }
  if (groups.some((group) => group.unread && group.items.some(isCovered))) {
    throw invalid('it covers a result that the model has not read');
  }
  const heldSeq = turnAcross(facts.draft, last.seq);
  const held = [...facts.folded.held, ...messages].find((entry) => entry.seq === heldSeq);
  return { from: refOf(first), to: refOf(last), firstKept: refOf(next), held: held === undefined ? null : refOf(held) };
}

interface EditFacts {
  readonly plan: Plan;
  readonly range: CompactionRange;
  readonly facts: PlanFacts;
}

/** The edits that can be made. One of the message that the plan held is left out when a later message ended its turn. */
function checkEdits(edits: readonly Edit[], { plan, range, facts }: EditFacts): Edit[] {
  const entries = new Map([...facts.folded.held, ...facts.folded.messages].map((entry) => [entry.id, entry]));
  const items = new Map<string, Item[]>();
  for (const item of facts.draft.items) {
    if (item.entryId === null) continue;
    const known = items.get(item.entryId);
    if (known === undefined) items.set(item.entryId, [item]);
    else known.push(item);
  }
  return edits.filter((one) => {
    const entry = entries.get(one.entryId);
    if (entry === undefined || entry.seq !== one.seq) throw invalid('it edits an entry that is not visible');
    if (entry.id === range.held?.id) return checkHeldEdit(one, { entry, facts });
    if (entry.seq <= range.to.seq) {
      if (entry.id === plan.range.held?.id) return false;
      throw invalid(`it edits #${entry.seq}, which it covers`);
    }
    return checkKeptEdit(one, { entry, items: items.get(entry.id) ?? [], facts });
  });
}

function checkHeldEdit(one: Edit, { entry, facts }: { readonly entry: MessageEntry; readonly facts: PlanFacts }): true {
  const part = partsOfMessage(entry.message)[one.part ?? 0];
  const { counter } = facts;
  if (part?.type === 'text' && one.text === parkText(part.text, { name: `#${entry.seq}`, counter })) return true;
  throw invalid(`it changes the words of #${entry.seq}, whose turn goes on`);
}

function checkKeptEdit(
  one: Edit,
  at: { readonly entry: MessageEntry; readonly items: readonly Item[]; readonly facts: PlanFacts },
): true {
  const { entry, items, facts } = at;
  const item = items.find(({ partIndexes }) => partIndexes.includes(one.part ?? 0));
  const part = item && partsOfMessage(item.message)[item.partIndexes.indexOf(one.part ?? 0)];
  if (item === undefined || (part?.type !== 'text' && part?.type !== 'tool-result')) {
    throw invalid(`it edits a part of #${entry.seq} that is no text`);
  }
  if (item.live && entry.message.role !== 'tool') throw invalid(`it changes the words of #${entry.seq}, which is live`);
  if (item.unread && !facts.parkUnread) throw invalid(`it edits #${entry.seq}, which the model has not read`);
  return true;
}

function issueOf(error: z.ZodError): string {
  const { path, why } = firstIssue(error);
  return `${path}: ${why}`;
}

function invalid(why: string): VarveError {
  return new VarveError('VARVE_PLAN_INVALID', `The compaction plan cannot be carried out: ${why}.`, {
    fix: 'Plan again from the session as it is now.',
  });
}

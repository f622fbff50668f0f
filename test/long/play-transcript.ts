import { isDeepStrictEqual } from 'node:util';
import { fold, isRefusal, type JsonValue, memoryStore, type Prompt, VarveError } from '@varve/core';
import { seededRandom } from '@varve/testkit';
import { changePlan } from './change-plan.ts';
import type { Observation } from './oracle/observation.ts';
import { Stage } from './stage.ts';
import { isSound, layerTexts } from './strategies.ts';
import type { Operation, TranscriptPlan } from './transcript-plan.ts';
import { undo } from './undo-operation.ts';

type OperationOf<Kind extends Operation['do']> = Extract<Operation, { readonly do: Kind }>;

/** What was seen of a transcript, and how its operations ended. */
export interface Played {
  readonly observation: Observation;
  readonly outcomes: ReadonlyMap<string, number>;
}

/** How often, in operations, the fold of the tail is compared with that of the whole journal. */
const foldEvery = 10;

/** Plays the first operations of a plan; all of them if no number is given. */
export async function playTranscript(plan: TranscriptPlan, operations = plan.operations.length): Promise<Played> {
  const stage = new Stage(plan);
  try {
    await stage.open();
    for (const [op, operation] of plan.operations.slice(0, operations).entries()) {
      stage.op = op;
      stage.clock.advance(1);
      await perform(stage, operation);
      const isTurn = operation.do === 'move' || operation.do === 'undo';
      if (isTurn || op % foldEvery === plan.seed % foldEvery) await compareFolds(stage);
    }
    const { findings } = stage.session.health();
    if (findings.length > 0 && isSound(plan.strategy)) {
      stage.see({ kind: 'wrong', what: `ill health: ${findings[0]?.where} ${findings[0]?.lastError}` });
    }
    await stage.close();
    await compareFolds(stage);
    const entries = await stage.stored();
    if (!isDeepStrictEqual(entries, stage.appended))
      stage.see({ kind: 'wrong', what: 'what is read is not what was stored' });
    return { observation: { events: stage.events, entries, layerTexts }, outcomes: stage.outcomes };
  } finally {
    await stage.end();
  }
}

async function perform(stage: Stage, operation: Operation): Promise<void> {
  try {
    await operate(stage, operation);
  } catch (error) {
    const code = VarveError.is(error) ? error.code : 'no code';
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    stage.see({ kind: 'wrong', what: `${operation.do} threw ${code}: ${text.split('\n').slice(0, 4).join(' ')}` });
  }
}

async function operate(stage: Stage, operation: Operation): Promise<void> {
  const { session } = stage;
  switch (operation.do) {
    case 'say':
      return say(stage, operation);
    case 'rule':
      return ingest(stage, { role: 'system', content: `Rule ${operation.pick}: rhyme.` }, {});
    case 'ask':
      return ask(stage, operation);
    case 'compact':
      return compact(stage, operation);
    case 'plan':
      return commitPlan(stage, operation);
    case 'undo':
      return undo(stage, operation);
    case 'move':
      return move(stage, operation);
    case 'race':
      return race(stage, operation);
    case 'model': {
      stage.choose(operation.pick);
      const { provider, model } = stage.model;
      return operation.set ? session.set('model', `${provider}/${model}`) : undefined;
    }
    case 'set':
      return session.set(`name-${operation.pick % 3}`, { at: operation.pick });
    case 'state': {
      const text = operation.pick % 4 === 0 ? null : `$& ${operation.pick} tasks`;
      return session.setState(`slot-${operation.pick % 3}`, text);
    }
    case 'reopen':
      return reopen(stage, operation);
    case 'wait':
      return stage.clock.advance(600_000);
    case 'other-host':
      return askOtherHost(stage);
  }
}

async function say(stage: Stage, { index, provenance }: OperationOf<'say'>): Promise<void> {
  const utterance = stage.plan.conversation.utterances[index];
  if (utterance === undefined) return;
  const { message, key } = utterance;
  return ingest(stage, message, {
    ...(key === undefined ? {} : { key }),
    ...(provenance === 'user' ? {} : { provenance: { kind: provenance } }),
  });
}

async function ingest(
  stage: Stage,
  message: Parameters<Stage['session']['ingest']>[0],
  options: NonNullable<Parameters<Stage['session']['ingest']>[1]>,
): Promise<void> {
  const entry = await stage.session.ingest(message, options);
  stage.see({ kind: 'ingest', entryId: entry.id, message, key: options.key ?? null });
}

const tools: readonly JsonValue[] = [{ name: 'read', description: 'Reads a file.', parameters: { path: 'string' } }];
const toolTokens = Math.ceil(JSON.stringify(tools).length / 4);

/** A prompt, or what its call threw with a reason. */
export type Answer = Prompt | { readonly code: string; readonly details: Readonly<Record<string, unknown>> };

/** Asks for a prompt. Errors that have a reason are answers; others are thrown. */
export async function tryAssemble(
  stage: Stage,
  options: { readonly dryRun: boolean; readonly tools?: boolean; readonly signal?: AbortSignal },
): Promise<Answer> {
  const { model, session } = stage;
  const { dryRun, signal } = options;
  try {
    return await session.assemble({ model, dryRun, signal, ...(options.tools === true ? { tools } : {}) });
  } catch (error) {
    const isReason =
      VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE') ||
      (signal !== undefined && VarveError.is(error, 'VARVE_ABORTED'));
    if (!isReason || !VarveError.is(error)) throw error;
    return { code: error.code, details: error.details };
  }
}

async function ask(stage: Stage, { tools: withTools, dry, abort }: OperationOf<'ask'>): Promise<void> {
  const before = stage.appended.length;
  const first = dry ? await tryAssemble(stage, { dryRun: true, tools: withTools }) : null;
  if (dry) stage.see({ kind: 'same', what: 'dry-run-length', a: before, b: stage.appended.length });
  const signal = signalFor(abort);
  const answer = await tryAssemble(stage, {
    dryRun: false,
    tools: withTools,
    ...(signal === undefined ? {} : { signal }),
  });
  if (dry) stage.see({ kind: 'same', what: 'dry-run', a: first, b: answer });
  const allowed = { input: stage.budget ?? Infinity, reserved: withTools ? toolTokens : 0 };
  if ('manifest' in answer) {
    stage.see({ kind: 'prompt', prompt: answer, isFirst: stage.isFirst, ...allowed });
    stage.isFirst = false;
    for (const { kind } of answer.manifest.actions) stage.count(`action ${kind}`);
    if (answer.manifest.entries.some(({ kind }) => kind === 'dropped')) stage.count('prompt that leaves out');
    stage.count('prompt');
  } else if (answer.code === 'VARVE_BUDGET_IMPOSSIBLE') {
    const { provider, model } = stage.model;
    const hasLayers = ['editing', 'faulty'].includes(stage.plan.strategy);
    const at = { storedSeq: stage.appended.length, model: `${provider}/${model}`, hasLayers };
    stage.see({ kind: 'impossible', details: answer.details, ...at, ...allowed });
    stage.count('impossible');
  } else stage.count('assembly aborted');
}

/** A signal that is aborted already, or after so many steps of other code. */
function signalFor(abort: OperationOf<'ask'>['abort']): AbortSignal | undefined {
  if (abort === 'never') return undefined;
  const controller = new AbortController();
  const later = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) await undefined;
    controller.abort();
  };
  if (abort === 'before') controller.abort();
  else void later(abort);
  return controller.signal;
}

async function compact(stage: Stage, { trigger, abort }: OperationOf<'compact'>): Promise<void> {
  const { model, session } = stage;
  try {
    const { status } = await session.compact(trigger, { model, signal: signalFor(abort) });
    stage.count(`compaction ${status}`);
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    stage.count('compaction impossible');
  }
}

/** Asks for a plan, and carries it out later or with something about it changed. */
async function commitPlan(stage: Stage, { pick, late }: OperationOf<'plan'>): Promise<void> {
  const { model, session } = stage;
  try {
    const plan = await session.plan('manual', { model });
    if (isRefusal(plan)) return stage.count(`plan ${plan.refused}`);
    if (late) await ingest(stage, { role: 'assistant', content: 'One moment.' }, {});
    const items = session.view.messages().map(({ id, seq }) => ({ entryId: id, seq }));
    const changed = pick % 3 === 0 ? plan : changePlan(plan, { items, random: seededRandom(pick) });
    const { status } = await session.commit(changed, { model });
    stage.count(`plan ${status}`);
  } catch (error) {
    // What has not even the shape of a plan is the caller's mistake, and thrown; what no longer holds is an outcome.
    const isShapeless = VarveError.is(error, 'VARVE_PLAN_INVALID') && error.message.includes('shape');
    if (!isShapeless && !VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    stage.count(isShapeless ? 'plan invalid' : 'plan impossible');
  }
}

async function move(stage: Stage, { pick, reason }: OperationOf<'move'>): Promise<void> {
  const entries = stage.appended;
  const given = entries[pick % Math.max(1, entries.length)];
  if (given === undefined) return;
  const head = await stage.session.moveHead(given.id, { reason });
  stage.see({ kind: 'move', given: given.id, head: head.id });
  stage.count(head.targetId === given.id ? 'head moved' : 'head moved on');
}

/** False once a tap that does something has failed so often that this process skips it: another one still calls it. */
function areTapsCalled({ session }: Stage): boolean {
  return session.health().findings.every(({ name, isSkipped }) => !isSkipped || name === 'faulty');
}

/** Whichever comes first: nothing is lost, and what no longer stands is refused for a reason. */
async function race(stage: Stage, { pick }: OperationOf<'race'>): Promise<void> {
  const { model, session } = stage;
  const newest = session.view.compaction();
  const target = stage.appended[pick % Math.max(1, stage.appended.length)];
  const third = async (): Promise<unknown> => {
    if (pick % 3 === 0 && newest !== null) return session.undo(newest.id);
    if (pick % 3 === 1 && target !== undefined) return session.moveHead(target.id, { reason: 'branch' });
    return session.setState('slot-0', `raced ${pick}`);
  };
  const message = { role: 'assistant', content: `Meanwhile, ${pick}.` } as const;
  const works = [() => session.compact('manual', { model }), () => ingest(stage, message, {}), third];
  const turned = [...works.slice(pick % 3), ...works.slice(0, pick % 3)];
  for (const result of await Promise.allSettled(turned.map((work) => work()))) {
    if (result.status === 'fulfilled') continue;
    const isReason = ['VARVE_UNDO_ORDER', 'VARVE_BUDGET_IMPOSSIBLE'].some(
      (code) => VarveError.is(result.reason) && result.reason.code === code,
    );
    if (!isReason) throw result.reason;
    stage.count('race refused');
  }
}

/** The prompt without what it says of the request before, which another process cannot know. */
function alone(answer: Answer): unknown {
  if (!('manifest' in answer)) return answer;
  const { actions: _actions, firstChangedByte: _byte, ...manifest } = answer.manifest;
  return { ...answer, manifest };
}

async function reopen(stage: Stage, { budget }: OperationOf<'reopen'>): Promise<void> {
  const before = await tryAssemble(stage, { dryRun: true });
  const isComparable = budget === 'same' && areTapsCalled(stage);
  await stage.close();
  if (budget !== 'same') stage.budget = budget;
  await stage.open();
  if (!isComparable) return;
  const after = await tryAssemble(stage, { dryRun: true });
  stage.see({ kind: 'same', what: 'restart', a: alone(before), b: alone(after) });
}

/** A copy of the journal, with or without its checkpoint, in another host: the same prompt. */
async function askOtherHost(stage: Stage): Promise<void> {
  await stage.session.record('host:copied', stage.op);
  const source = await stage.store.open('s', { readOnly: true });
  const entries = [...stage.appended];
  const { checkpoint } = await source.tail();
  const store = memoryStore();
  const copy = await store.open('s', { create: source.header });
  const kept = checkpoint === null || stage.op % 2 === 0 ? {} : { checkpoint };
  await copy.append(entries, { expectedSeq: 0, ...kept });
  await Promise.all([copy.close(), source.close()]);
  await using host = await stage.hostOn(store);
  const session = await host.open('s');
  const [here, there] = [await tryAssemble(stage, { dryRun: true }), await assembleIn(session, stage)];
  if (!areTapsCalled(stage)) return;
  stage.see({ kind: 'same', what: 'other-host', a: alone(here), b: alone(there) });
}

async function assembleIn(session: Stage['session'], { model }: Stage): Promise<Answer> {
  return session.assemble({ model, dryRun: true }).catch((error: unknown) => {
    if (!VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    return { code: error.code, details: error.details };
  });
}

/** The law of the tail. Seen only where it is broken: both sides are as large as the journal. */
async function compareFolds(stage: Stage): Promise<void> {
  const journal = await stage.store.open('s', { readOnly: true });
  const [tail, all] = [fold(await journal.tail()), fold({ checkpoint: null, entries: stage.appended })];
  await journal.close();
  if (!isDeepStrictEqual(tail, all)) stage.see({ kind: 'same', what: 'fold', a: shown(tail), b: shown(all) });
  stage.count('fold compared');
}

function shown(folded: ReturnType<typeof fold>): unknown {
  return { ...folded, edits: [...folded.edits], verdicts: [...folded.verdicts] };
}

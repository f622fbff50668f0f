import { memoryStore, VarveError } from '@varve/core';
import type { Stage } from '../stage.ts';
import type { Operation } from '../transcript-plan.ts';
import { type Answer, tryAssemble } from './try-assemble.ts';

/** False once a tap that does something has failed so often that this process skips it: another one still calls it. */
function areTapsCalled({ session }: Stage): boolean {
  return session.health().findings.every(({ name, isSkipped }) => !isSkipped || name === 'faulty');
}

/** The prompt without what it says of the request before, which another process cannot know. */
function alone(answer: Answer): unknown {
  if (!('manifest' in answer)) return answer;
  const { actions: _actions, firstChangedByte: _byte, ...manifest } = answer.manifest;
  return { ...answer, manifest };
}

/** Closes the session and opens it again, as another process would, perhaps with another budget. */
export async function reopen(stage: Stage, { budget }: Extract<Operation, { readonly do: 'reopen' }>): Promise<void> {
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
export async function askOtherHost(stage: Stage): Promise<void> {
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
